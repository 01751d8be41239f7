import { count, number } from './words.ts';

const things = (many: number) => count(many, 'thing', 'things');
const rows = (many: number) => count(many, 'row', 'rows');

export const importingTexts = {
  title: 'Import things',
  open: 'Import',
  intro:
    'A file of CSV with a row for each thing, as spreadsheets save it: commas, semicolons or tabs. The first row names the columns. Nothing is made until you say so.',
  template: 'Template',
  choose: 'File',
  paste: 'Or paste rows here',
  read: 'Read the rows',
  other: 'Another file',
  file: {
    empty: 'There is nothing in it.',
    headOnly: 'It has the names of columns alone, and no row of a thing.',
    tooLong: (max: number) => `It has more than ${number.format(max)} rows: take it in parts.`,
    tooWide: (max: number) => `It has more than ${max} columns.`,
    tooLarge: (mebibytes: number) => `It is larger than ${mebibytes} MiB: take it in parts.`,
    notCsv: (line: number, code: string) => {
      const reasons: Readonly<Record<string, string>> = {
        CSV_QUOTE_NOT_CLOSED: 'a quote is never closed',
        CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quote',
        INVALID_OPENING_QUOTE: 'a quote stands inside a cell that does not begin with one',
      };
      return `Line ${number.format(line)} is not CSV: ${reasons[code] ?? code}.`;
    },
  },
  columns: 'Columns',
  columnsText: 'Where each column goes. Cells that are empty give nothing.',
  column: (name: string) => (name === '' ? 'A column without a name' : name),
  targets: {
    none: 'Left out',
    name: 'Name',
    type: 'Type',
    external_key: 'External key',
    key: 'Key of the device',
    id: 'Id',
    profile: 'Profile, by name or id',
    group: 'Group, by name or id',
    metadata: 'Metadata as JSON',
  },
  member: (name: string) => `Metadata: ${name}`,
  usualProfile: 'Profile of rows that name none',
  usualProfileHint: 'A thing is in the group of its profile.',
  usualType: 'Type of rows that name none',
  noNameColumn: 'No column is the name: choose one.',
  preview: 'Preview',
  previewTable: 'The rows as they were understood',
  line: 'Line',
  wrong: 'What is wrong',
  shown: (shown: number, all: number) =>
    shown === all ? rows(all) : `The first ${rows(shown)} of ${number.format(all)}`,
  shownWrong: (shown: number, all: number) =>
    `The first ${number.format(shown)} of ${rows(all)} that ${all === 1 ? 'is' : 'are'} wrong`,
  onlyWrong: 'Only rows that are wrong',
  good: (many: number) => `${things(many)} can be made`,
  bad: (many: number) => (many === 1 ? '1 row is wrong' : `${rows(many)} are wrong`),
  make: (many: number) => `Make ${things(many)}`,
  finding: 'Looking for the profiles and groups that rows name …',
  making: (made: number, all: number) =>
    `${number.format(made)} of ${things(all)} ${made === 1 ? 'is' : 'are'} made …`,
  progress: 'Things that are made',
  stop: 'Stop',
  goOn: 'Go on',
  stopped: (made: number, all: number) =>
    `Stopped: ${number.format(made)} of ${things(all)} ${made === 1 ? 'was' : 'were'} made.`,
  done: (made: number) => `${things(made)} ${made === 1 ? 'was' : 'were'} made.`,
  failed: (many: number) =>
    `${rows(many)} failed. Save them, mend them, and import that file: it has no others.`,
  saveFailed: 'Save the rows that failed',
  saveKeys: 'Save the keys of the devices',
  keysText: 'Each thing has a key, by which its device is known. Its page shows it too.',
  toThings: 'To the things',
  leave: 'Things are being made.',
  problems: {
    noName: 'it has no name',
    longName: (max: number) => `the name is longer than ${number.format(max)} characters`,
    noType: (types: string) => `the type is none of ${types}`,
    noId: 'the id is no UUID of version 4',
    externalKey: (min: number, max: number) =>
      `the external key has not ${min} to ${number.format(max)} characters`,
    longKey: (max: number) => `the key is longer than ${number.format(max)} characters`,
    noObject: 'the metadata is no JSON object',
    noProfile: (name: string) => `there is no profile ${name.slice(0, 80)} that you see`,
    noGroup: (name: string) => `there is no group ${name.slice(0, 80)} that you see`,
    several: (name: string) => `several profiles are called ${name.slice(0, 80)}: name the group`,
    severalIn: (name: string) => `group ${name.slice(0, 80)} has several profiles: name one`,
    emptyGroup: 'the group has no profile',
    nowhere: 'it names no profile, and none is chosen',
    twice: (line: number) => `line ${number.format(line)} has the same`,
    manyPlaces: (max: number) =>
      `The rows name more than ${max} profiles and groups: take them in parts.`,
  },
};
