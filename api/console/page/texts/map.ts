import { count } from './words.ts';

export const mapTexts = {
  nearer: 'Nearer',
  farther: 'Farther',
  all: 'Show all',
  things: (names: readonly string[]) => {
    const told = names.slice(0, 8).join('\n');
    return names.length > 8 ? `${told}\n… ${names.length - 8} more` : told;
  },
  list: (title: string) => `${title === '' ? 'Map' : title}: things`,
  nowhere: 'No thing here has a place',
  nowhereText:
    'Write latitude and longitude into the metadata of things, or let them send numbers of these names.',
  notShared: 'A map is for members only: a link does not tell where things are.',
  others: (others: number) =>
    others === 1
      ? '1 other thing has no place'
      : `${count(others, 'other', 'others')} have no place`,
  more: (read: number, total: number) =>
    `The first ${read.toLocaleString('en')} of ${total.toLocaleString('en')} things are looked at`,
};
