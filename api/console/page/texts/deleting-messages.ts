import { count } from './words.ts';

export const deletingMessagesTexts = {
  action: 'Delete messages',
  title: (name: string) => `Delete messages of ${name}?`,
  text: 'What fits all of these goes for good, from charts, exports and backups that are made from now on. Alarms stay.',
  format: 'Of which kind',
  formats: { senml: 'SenML', json: 'JSON' },
  name: 'Name of the series',
  nameHint: 'Whole. Empty: all.',
  from: 'From',
  to: 'Until',
  timeHint: 'By the time in the message, in your time zone. Empty: no limit.',
  counting: 'Counting …',
  fits: (records: number) =>
    records === 0 ? 'Nothing fits.' : `${count(records, 'record fits', 'records fit')}.`,
  done: 'The messages are deleted.',
};
