import { lasting, number, percent } from './words.ts';

export const partsTexts = {
  copy: 'Copy',
  copied: 'Copied',
  show: 'Show',
  hide: 'Hide',
  cancel: 'Cancel',
  save: 'Save',
  created: 'Created',
  done: 'Done',
  never: 'Never',
  rows: (from: number, to: number, total: number) =>
    total === 0 ? '0' : `${number.format(from)} to ${number.format(to)} of ${number.format(total)}`,
  number: (value: number) => number.format(value),
  of: (limit: number) => `of ${number.format(limit)}`,
  noLimit: 'no limit',
  share: (share: number) => percent.format(share),
  lasting,
  previous: 'Previous',
  next: 'Next',
  search: 'Search',
  clear: 'Clear filters',
  actions: 'Actions',
};
