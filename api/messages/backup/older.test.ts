import { expect, it } from 'vitest';
import { readOlder } from './older.ts';

const publisher = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const senml = { time: 1, publisher, protocol: 'http', name: 't', value: 1 };
const json = { created: 1, publisher, protocol: 'http', payload: { a: 1 } };

async function read(file: unknown) {
  const text = typeof file === 'string' ? file : JSON.stringify(file);
  const chunks = (async function* () {
    yield Buffer.from(text);
  })();
  const messages = [];
  for await (const some of readOlder(chunks)) messages.push(...some);
  return messages.map(({ format, place, text: bytes }) => [
    format,
    place,
    JSON.parse(bytes.toString()),
  ]);
}

it('both lists are read, in any order, each message with its place', async () => {
  const file = { senml_messages: [senml, { ...senml, name: 'u' }], json_messages: [json] };
  expect(await read(file)).toEqual([
    ['senml', 0, senml],
    ['senml', 1, { ...senml, name: 'u' }],
    ['json', 0, json],
  ]);
  expect(await read({ json_messages: [] })).toEqual([]);
});

it.each([
  ['another list', { other: [] }, 'no list of messages'],
  ['a list twice', '{"json_messages":[],"json_messages":[]}', 'no list of messages'],
  ['a message that is no object', { json_messages: [1] }, 'json_messages.0 is no object'],
  [
    'a message that lacks a member',
    { senml_messages: [{ ...senml, name: undefined }] },
    'senml_messages.0',
  ],
  ['a member that there is not', { json_messages: [{ ...json, more: 1 }] }, 'json_messages.0'],
  ['two values', { senml_messages: [{ ...senml, string_value: 'x' }] }, 'more than one value'],
  ['an empty name', { senml_messages: [{ ...senml, name: '' }] }, 'senml_messages.0 name'],
  [
    'a name with a tab, as the edge does not take it,',
    { senml_messages: [senml, { ...senml, name: 'a\tb' }] },
    'senml_messages.1 name must match',
  ],
  ['a name with a line end', { senml_messages: [{ ...senml, name: 'a\n' }] }, 'senml_messages.0'],
  ['a long name', { senml_messages: [{ ...senml, name: 'a'.repeat(1_025) }] }, 'senml_messages.0'],
  ['a list without an end', `{"json_messages":[${JSON.stringify(json)}`, 'where a ] is due'],
  ['a message without an end', '{"json_messages":[{', 'cut off'],
  ['text after the end', '{"json_messages":[]}x', 'goes on'],
])('%s is refused', async (_what, file, message) => {
  await expect(read(file)).rejects.toThrow(message);
});

it('one value beside others that are null is one', async () => {
  expect(await read({ senml_messages: [{ ...senml, string_value: null }] })).toHaveLength(1);
});
