import { isUtf8 } from 'node:buffer';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Uuid } from '../../../../schemas/http/common.ts';
import type { MessageFormat } from '../../../../schemas/messages/tables.ts';
import { wrong } from '../format.ts';

/** A message as it stands in an older file: an object's text, and its place in its list. */
export type OlderMessage = { format: MessageFormat; place: number; text: Buffer };

const lists: Readonly<Record<string, MessageFormat>> = {
  json_messages: 'json',
  senml_messages: 'senml',
};

const messageBytesMax = 16 * 1024 * 1024;

/** The years of a 64-bit number of nanoseconds, less a few. */
const Time = Type.Integer({ minimum: -9.2e18, maximum: 9.2e18 });
const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const Number = Type.Optional(Type.Union([Type.Number(), Type.Null()]));
const strict = { additionalProperties: false };

const schemas = {
  json: Compile(
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
  ),
  senml: Compile(
    Type.Object(
      {
        time: Time,
        publisher: Uuid,
        protocol: Type.String(),
        subtopic: Text,
        name: Type.String(),
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
  ),
} as const;

/** What is given at once. */
const heldBytesMax = 256 * 1024;

/**
 * Reads a file of the platform's older kind, `{"json_messages": […], "senml_messages": […]}`, some
 * messages at a time.
 *
 * @throws DomainError `malformed` for anything else, naming the message.
 */
export async function* readOlder(chunks: AsyncIterable<Buffer>): AsyncGenerator<OlderMessage[]> {
  const text = new Text8(chunks);
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
  if ((await text.next()) !== undefined) throw wrong('it goes on behind its end');
}

async function* readList(
  text: Text8,
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

function problemOf(format: MessageFormat, text: Buffer): string | undefined {
  if (!isUtf8(text)) return 'is not UTF-8';
  let message: unknown;
  try {
    message = JSON.parse(text.toString('utf8'));
  } catch {
    return 'is not JSON';
  }
  const schema = schemas[format];
  if (!schema.Check(message)) {
    const [first] = schema.Errors(message);
    return `${first?.instancePath.slice(1).replaceAll('/', '.') ?? ''} ${first?.message ?? 'is wrong'}`;
  }
  if (format === 'json') return undefined;
  const values = ['value', 'string_value', 'bool_value', 'data_value'].filter(
    (name) => (Reflect.get(Object(message), name) ?? null) !== null,
  );
  return values.length > 1 ? 'has more than one value' : undefined;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const blanks: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** A window on bytes that come in chunks. Nothing here looks at an object's inside but for its end. */
class Text8 {
  readonly #chunks: AsyncIterator<Buffer>;
  #window: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next character that is not blank; undefined at the end. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const byte = this.#nextByte();
      if (byte !== undefined) return String.fromCharCode(byte);
      if (!(await this.#more())) return undefined;
    }
  }

  async skip(character: string): Promise<boolean> {
    if ((await this.next()) !== character) return false;
    this.#at += 1;
    return true;
  }

  /** The same without a wait; undefined where that is not known yet. */
  skipHere(character: string): boolean | undefined {
    const byte = this.#nextByte();
    if (byte === undefined) return undefined;
    if (byte !== character.charCodeAt(0)) return false;
    this.#at += 1;
    return true;
  }

  async expect(character: string): Promise<void> {
    if (!(await this.skip(character))) throw wrong(`where a ${character} is due there is none`);
  }

  /** A name of the outermost object. */
  async name(): Promise<string> {
    await this.expect('"');
    const name = [];
    for (;;) {
      const byte = this.#window[this.#at];
      if (byte === undefined && !(await this.#more())) throw wrong('it is cut off');
      if (byte === undefined) continue;
      this.#at += 1;
      if (byte === quote) return String.fromCharCode(...name);
      name.push(byte);
      if (name.length > 64) throw wrong('it is no list of messages');
    }
  }

  /** The bytes of an object, braces and all; undefined for something else, or one that is too long. */
  async object(): Promise<Buffer | undefined> {
    if ((await this.next()) !== '{') return undefined;
    let scan = { at: this.#at, depth: 0, inString: false };
    for (;;) {
      scan = findEnd(this.#window, scan);
      if (scan.depth === 0) return this.#take(scan.at);
      const looked = scan.at - this.#at;
      if (looked > messageBytesMax) return undefined;
      if (!(await this.#more())) throw wrong('it is cut off');
      scan.at = this.#at + looked;
    }
  }

  /** The same without a wait, if all of it is there. */
  wholeObject(): Buffer | undefined {
    if (this.#nextByte() !== openBrace) return undefined;
    const { at, depth } = findEnd(this.#window, { at: this.#at, depth: 0, inString: false });
    return depth === 0 ? this.#take(at) : undefined;
  }

  #nextByte(): number | undefined {
    while (blanks.has(this.#window[this.#at])) this.#at += 1;
    return this.#window[this.#at];
  }

  #take(end: number): Buffer {
    const bytes = this.#window.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done === true) return false;
    const rest = this.#window.subarray(this.#at);
    this.#window = rest.length === 0 ? value : Buffer.concat([rest, value]);
    this.#at = 0;
    return true;
  }
}

type Scan = { at: number; depth: number; inString: boolean };

/** Goes on until the outermost object closes (`depth` 0, `at` behind it) or the window ends. */
function findEnd(window: Buffer, from: Scan): Scan {
  let { at, depth, inString } = from;
  for (; at < window.length; at++) {
    const byte = window[at];
    if (inString) {
      // What is escaped may stand in the next chunk: it is looked at then.
      if (byte === backslash) {
        if (at + 1 === window.length) return { at, depth, inString };
        at += 1;
      } else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === openBrace || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
      if (depth === 0) return { at: at + 1, depth, inString };
    }
  }
  return { at, depth, inString };
}
