import { isAscii, isUtf8 } from 'node:buffer';
import { type CodecLimits, malformed, type Rejected, tooLarge } from './rejected.ts';

/** What a byte means outside of strings; 0: nothing to this scan. */
const classes = new Uint8Array(256);
const quote = 1;
const comma = 2;
const colon = 3;
const open = 4;
const close = 5;
classes[0x22] = quote;
classes[0x2c] = comma;
classes[0x3a] = colon;
classes[0x5b] = open;
classes[0x7b] = open;
classes[0x5d] = close;
classes[0x7d] = close;

const doubleQuote = 0x22;
const backslash = 0x5c;
const bracket = 0x5b;

/**
 * Reads a body as JSON (RFC 8259). Before `JSON.parse`, which takes any depth and any number of members,
 * one scan over the bytes bounds both, and counts the members: fewer in the parsed value mean that one
 * was given twice. A scanner from bytes straight to a pack would stand beside this class.
 */
export class JsonText {
  /** The parsed value, of the last body that was accepted. */
  value: unknown;
  /** Members of all its objects, as they stand in the text. */
  members = 0;
  text = '';

  readonly #limits: CodecLimits;
  /** Members so far in the object at each depth. */
  readonly #membersAt: Int32Array;

  constructor(limits: CodecLimits) {
    this.#limits = limits;
    this.#membersAt = new Int32Array(limits.nestingMax + 1);
  }

  /** Undefined: accepted, `value` holds it. */
  read(body: Uint8Array): Rejected | undefined {
    this.value = undefined;
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const ascii = isAscii(bytes);
    if (!ascii && !isUtf8(bytes)) return malformed('body: not valid UTF-8');
    const start = hasByteOrderMark(bytes) ? 3 : 0;
    if (bytes.length === start) return malformed('body: empty');
    const rejected = this.#scan(bytes, start);
    if (rejected !== undefined) return rejected;
    this.text = bytes.toString(ascii ? 'latin1' : 'utf8', start);
    try {
      this.value = JSON.parse(this.text);
    } catch {
      return malformed('body: not valid JSON');
    }
    return undefined;
  }

  #scan(bytes: Uint8Array, start: number): Rejected | undefined {
    const { nestingMax, membersPerObjectMax, recordsPerMessageMax } = this.#limits;
    const membersAt = this.#membersAt;
    const end = bytes.length;
    let members = 0;
    let records = 1;
    let depth = 0;
    let isList = false;
    for (let i = start; i < end; i++) {
      const byte = bytes[i] ?? 0;
      switch (classes[byte] ?? 0) {
        case quote:
          i += 1;
          while (i < end && bytes[i] !== doubleQuote) i += bytes[i] === backslash ? 2 : 1;
          break;
        case comma:
          if (depth === 1 && isList) {
            records += 1;
            if (records > recordsPerMessageMax) {
              return tooLarge(`body: more than ${recordsPerMessageMax} records`);
            }
          }
          break;
        case colon: {
          members += 1;
          const inObject = (membersAt[depth] ?? 0) + 1;
          if (inObject > membersPerObjectMax) {
            return malformed(`${place(records, isList)}: more than ${membersPerObjectMax} members`);
          }
          membersAt[depth] = inObject;
          break;
        }
        case open:
          depth += 1;
          if (depth > nestingMax) {
            return malformed(`${place(records, isList)}: nested deeper than ${nestingMax}`);
          }
          if (depth === 1) isList = byte === bracket;
          membersAt[depth] = 0;
          break;
        case close:
          depth -= 1;
          // Not JSON; the parser will say so.
          if (depth < 0) depth = 0;
          break;
        default:
      }
    }
    this.members = members;
    return undefined;
  }
}

function place(records: number, isList: boolean): string {
  return isList ? `record ${records - 1}` : 'body';
}

/** RFC 8259 §8.1 lets a reader pass over it. */
function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
