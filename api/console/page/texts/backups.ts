import { number, percent } from './words.ts';

export const backupsTexts = {
  title: 'Backups',
  backup: 'Back up all messages',
  backupText:
    'One file with all stored messages of all orgs, as of now. Users, things, rules and the like are in PostgreSQL: back that up before it.',
  start: 'Download a backup',
  restore: 'Restore',
  restoreText:
    'Adds what is missing of a backup: nothing is deleted, and what is there already is not added again. The file is checked whole before anything changes.',
  file: 'Backup file',
  chosen: (name: string, size: string) => `${name}, ${size}`,
  restoreAction: 'Restore',
  question: 'Restore this backup?',
  questionText: (name: string, size: string) =>
    `What is missing of ${name} (${size}) is added to the messages of all orgs. Restored messages can not be told from others afterwards.`,
  cancel: 'Cancel',
  preparing: 'The backup is being prepared …',
  loaded: (size: string) => `${size} so far`,
  saved: (name: string, size: string) => `The backup is whole: ${name}, ${size}.`,
  broken: (size: string, why: string) =>
    `The backup failed after ${size}, and nothing was saved. ${why}`,
  canceled: 'The backup was canceled. Nothing was saved.',
  sending: (sent: string, size: string, share: number) =>
    `${sent} of ${size} sent (${percent.format(share)})`,
  working: 'The file is on the server. It is checked, and what is missing is added …',
  restored: 'The restore is done: all messages of the file are there.',
  leftOut: (messages: number) =>
    `The restore is done. ${number.format(messages)} messages of things that are gone were left out.`,
  refused: (why: string) => `Nothing was restored. ${why}`,
  brokenOff:
    'The connection broke before the server answered. The restore may be done or not: send the file again, nothing is added twice.',
  noAnswer: 'The connection broke, or the service is away.',
  restoreCanceled:
    'The restore was canceled before the file was whole on the server. Nothing was restored.',
  progress: 'Progress',
};
