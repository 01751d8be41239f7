import { isUtf8 } from 'node:buffer';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Uuid } from '../../../schemas/http/common.ts';
import { senmlNameCharsMax, senmlNamePattern } from '../../../schemas/messages/name.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { wrong } from './format.ts';
import { JsonStreamReader } from './json-stream.ts';

/** A message as it stands in an older file: an object's text, and its place in its list. */
type OlderMessage = { format: MessageFormat; place: number; text: Buffer };

const lists: Readonly<Record<string, MessageFormat>> = {
  json_messages: 'json',
  senml_messages: 'senml',
};

/** The years of a 64-bit number of nanoseconds, less a few. */
const Time = Type.Integer({ minimum: -9.2e18, maximum: 9.2e18 });
const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const Number = Type.Optional(Type.Union([Type.Number(), Type.Null()]));
const strict = { additionalProperties: false };

const JsonSchema = Compile(
  Type.Object(
    {
      created: Time,
      publisher: Uuid,
      protocol: Type.String(),
      subtopic: Text,
      payload: Type.Record(Type.String(), Type.Unknown()),
    },
    strict,
  ),
);

const SenmlSchema = Compile(
  Type.Object(
    {
      time: Time,
      publisher: Uuid,
      protocol: Type.String(),
      subtopic: Text,
      name: Type.String({ pattern: senmlNamePattern, maxLength: senmlNameCharsMax }),
      unit: Text,
      value: Number,
      string_value: Text,
      bool_value: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
      data_value: Text,
      sum: Number,
      update_time: Number,
    },
    strict,
  ),
);

/** Messages that are returned together. */
const heldBytesMax = 256 * 1024;

/**
 * Reads a file of the platform's older kind, `{"json_messages": […], "senml_messages": […]}`, some
 * messages at a time.
 *
 * @throws DomainError `malformed` for anything else, naming the message.
 */
export async function* readOlder(chunks: AsyncIterable<Buffer>): AsyncGenerator<OlderMessage[]> {
  const text = new JsonStreamReader(chunks);
  const seen = new Set<string>();
  await text.expect('{');
  do {
    const name = await text.name();
    const format = lists[name];
    if (format === undefined || seen.has(name)) throw wrong('it is no list of messages');
    seen.add(name);
    await text.expect(':');
    yield* readList(text, name, format);
  } while (await text.skip(','));
  await text.expect('}');
  if ((await text.next()) !== undefined) throw wrong('it goes on after its end');
}

async function* readList(
  text: JsonStreamReader,
  name: string,
  format: MessageFormat,
): AsyncGenerator<OlderMessage[]> {
  await text.expect('[');
  if (await text.skip(']')) return;
  let messages: OlderMessage[] = [];
  let heldBytes = 0;
  let place = 0;
  do {
    const bytes = text.wholeObject() ?? (await text.object());
    if (bytes === undefined) throw wrong(`${name}.${place} is no object, or too long`);
    const problem = problemOf(format, bytes);
    if (problem !== undefined) throw wrong(`${name}.${place} ${problem}`);
    messages.push({ format, place, text: bytes });
    place += 1;
    heldBytes += bytes.length;
    if (heldBytes > heldBytesMax) {
      yield messages;
      messages = [];
      heldBytes = 0;
    }
  } while (text.skipHere(',') ?? (await text.skip(',')));
  await text.expect(']');
  yield messages;
}

function firstError([first]: { instancePath: string; message: string }[]): string {
  return `${first?.instancePath.slice(1).replaceAll('/', '.') ?? ''} ${first?.message ?? 'is wrong'}`;
}

/** Says in which way a message is wrong; undefined if it is not. */
function problemOf(format: MessageFormat, text: Buffer): string | undefined {
  if (!isUtf8(text)) return 'is not UTF-8';
  let message: unknown;
  try {
    message = JSON.parse(text.toString('utf8'));
  } catch {
    return 'is not JSON';
  }
  if (format === 'json') {
    return JsonSchema.Check(message) ? undefined : firstError(JsonSchema.Errors(message));
  }
  if (!SenmlSchema.Check(message)) return firstError(SenmlSchema.Errors(message));
  const { value, string_value, bool_value, data_value } = message;
  const values = [value, string_value, bool_value, data_value].filter(
    (one) => (one ?? null) !== null,
  );
  return values.length > 1 ? 'has more than one value' : undefined;
}
