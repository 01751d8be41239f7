import { Compile } from 'typebox/compile';
import { commandBytesMax, NewCommand } from '../../schemas/resources/command.ts';
import { parseSubtopic } from '../../schemas/messages/subtopic.ts';
import { malformed, tooLarge } from '../codecs/rejected.ts';
import type { Refusal } from '../intake/refusal.ts';
import { limits } from '../limits.ts';

type Read =
  | { readonly kind: 'read'; command: Omit<NewCommand, 'subtopic'> & { subtopic: string } }
  | Refusal;

const isCommand = Compile(NewCommand);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a command that a thing sends; its subtopic may stand in the body instead of where it came to. */
export function readCommand(body: Uint8Array, subtopic: string): Read {
  if (body.length > commandBytesMax) return tooLarge(`more than ${commandBytesMax} bytes`);
  const given = parse(body);
  if (!isCommand.Check(given)) return malformed(problemOf(given));
  if (!given.command.isWellFormed()) return malformed('command holds half a surrogate pair');
  if (!isWithin(given, limits.commandNestingMax)) {
    return malformed(`nested deeper than ${limits.commandNestingMax}`);
  }
  const { subtopic: told = '', ...command } = given;
  if (told === '') return { kind: 'read', command: { ...command, subtopic } };
  if (subtopic !== '') return malformed('subtopic: stands in the path and in the body');
  const parsed = parseSubtopic(encodeURIComponent(told), limits.subtopicCharsMax);
  if (!parsed.ok) return malformed(parsed.detail);
  return { kind: 'read', command: { ...command, subtopic: parsed.subtopic } };
}

/** Undefined for what is no JSON. */
function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    return undefined;
  }
}

function problemOf(given: unknown): string {
  if (given === undefined) return 'the body is no JSON';
  const [error] = isCommand.Errors(given);
  const path = error?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  const message = error?.message ?? 'is wrong';
  return `${path === '' ? 'body' : path} ${message}`;
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((one) => isWithin(one, levels - 1));
}
