import { expect, it } from 'vitest';
import { controlIn } from './stream-commands.ts';

const read = (text: string) => controlIn(Buffer.from(text));
const one = '019ac0de-7b2c-7f3a-9b4c-5d6e7f8a9b0c';
const other = '019ac0de-7b2c-7f3a-9b4c-5d6e7f8a9b0d';

it('frames about commands are told from messages', () => {
  expect(read('commands')).toEqual({ kind: 'listen' });
  expect(read('commands\n')).toEqual({ kind: 'listen' });
  expect(read(`acknowledge ${one} ${other.toUpperCase()}`)).toEqual({
    kind: 'acknowledge',
    ids: [one, other],
  });
});

it.each([
  '',
  '[{"n":"a","v":1}]',
  '{"acknowledge":"x"}',
  'command',
  'acknowledge',
  'acknowledge x',
])('other frames are messages: %j', (text) => {
  expect(read(text)).toBeUndefined();
});
