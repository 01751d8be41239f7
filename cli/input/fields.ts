import type { OperationName, Requests } from '../../schemas/client/generated/types.ts';
import { secondsOf } from '../../schemas/http/time.ts';
import { parseDuration, parseJson, parseTime, UsageError } from './usage.ts';

/** A flag that stands for one member of a JSON body. */
type Field = {
  /** As Commander takes it: `--type <type>`. */
  flags: string;
  about: string;
  /** Parses the text. @throws UsageError */
  read(name: string, text: string): unknown;
};

/** The flags of a body. A missing flag of a member is a compile error. */
export type Fields<Body> = { readonly [Member in keyof Body]-?: Field };

/** The filters of a list: each parameter of the operation except those of pages. */
export type ListFilters<Name extends OperationName> = Requests[Name] extends { query?: infer Query }
  ? Fields<Omit<NonNullable<Query>, 'limit' | 'offset'>>
  : never;

/** The fields of any body. */
export type AnyFields = Readonly<Record<string, Field>>;

/** Any text. */
export function text(flags: string, about: string): Field {
  return { flags, about, read: (_name, given) => given };
}

/** A whole number, or `none`. */
export function countOrNone(flags: string, about: string): Field {
  return { flags, about, read: readCountOrNone };
}

/** A whole number. */
export function whole(flags: string, about: string): Field {
  return { flags, about, read: readWhole };
}

/** Yes or no, as JSON has it. */
export function truth(flags: string, about: string): Field {
  return { flags, about, read: readTruth };
}

/** A JSON object. */
export function json(flags: string, about: string): Field {
  return { flags, about, read: readJson };
}

/** A time, as requests take it. */
export function time(flags: string, about: string): Field {
  return { flags, about, read: parseTime };
}

/** A time to come: as requests take it, or a duration from now. */
export function timeAhead(flags: string, about: string): Field {
  return { flags, about, read: readTimeAhead };
}

/** Whole seconds, or a duration. */
export function duration(flags: string, about: string): Field {
  return { flags, about, read: parseDuration };
}

/** `none`, or whatever the field takes. */
export function orNone(field: Field): Field {
  const { flags, about } = field;
  return {
    flags,
    about,
    read: (flag, given) => (given === 'none' ? null : field.read(flag, given)),
  };
}

/** Texts between commas. */
export function texts(flags: string, about: string): Field {
  return { flags, about, read: (_name, given) => given.split(',') };
}

export const name: Field = text('--name <text>', 'its name');
export const metadata: Field = json('--metadata <json>', 'more about it, as a JSON object');
/** Of all lists. */
export const sorting = {
  order: text('--order <member>', 'what they are sorted by: id, name, created_at or updated_at'),
  dir: text('--dir <dir>', 'asc or desc, the default'),
} satisfies Record<string, Field>;
/** Of lists of what has a name. */
export const namedFilters = {
  ...sorting,
  name: text('--name <text>', 'a part of their names'),
  metadata: json('--metadata <json>', 'what their metadata contains'),
} satisfies Record<string, Field>;
export const email: Field = text('--email <email>', 'the e-mail');
export const description = text('--description <text>', 'what it is');
export const role = text('--role <role>', 'admin, editor or viewer');
export const retentionDays = countOrNone(
  '--retention-days <n>',
  'how many days messages are kept (none: for good)',
);

function readCountOrNone(flag: string, given: string): number | null {
  if (given === 'none') return null;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new UsageError(`${flag} is not a whole number, nor none`);
}

function readWhole(flag: string, given: string): number {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new UsageError(`${flag} is not a whole number`);
}

function readTruth(flag: string, given: string): boolean {
  if (given === 'true' || given === 'false') return given === 'true';
  throw new UsageError(`${flag} is neither true nor false`);
}

function readJson(flag: string, given: string): unknown {
  const value = parseJson(flag, given, '{"hall": 3}');
  if (typeof value === 'object') return value;
  throw new UsageError(`${flag} does not hold a JSON object, such as '{"hall": 3}'`);
}

function readTimeAhead(flag: string, given: string): string {
  const seconds = secondsOf(given);
  if (seconds === undefined) return parseTime(flag, given);
  return new Date(Date.now() + seconds * 1_000).toISOString();
}
