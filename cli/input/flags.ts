import { InvalidArgumentError, Option } from 'commander';
import { defaultUrl, type ServiceUrls } from '../../schemas/client/urls.ts';

const outputs = ['json', 'table', 'ndjson', 'csv'] as const;
export type OutputFormat = (typeof outputs)[number];

/** A flag that stands before or after any command. One that takes no value is a switch. */
type Flag = {
  short?: string;
  /** The name of its value in the help. */
  takes?: string;
  about: string;
  /** Parses the typed value. A flag without a parser takes any text. */
  read?: (text: string) => unknown;
  default?: string | number;
  /** All values that it accepts. */
  choices?: readonly string[];
  /** Values that shells offer. The flag accepts others as well. */
  offers?: readonly string[];
};

const serviceFlags = {
  authUrl: { short: 'a', takes: 'url', about: 'auth: orgs, memberships, API keys' },
  certsUrl: { short: 'c', takes: 'url', about: 'certificates' },
  thingsUrl: { short: 't', takes: 'url', about: 'things: groups, profiles, things' },
  usersUrl: { short: 'u', takes: 'url', about: 'users and tokens' },
  webhooksUrl: { short: 'w', takes: 'url', about: 'webhooks (default <url>/svcwebhooks)' },
  httpUrl: {
    short: 'p',
    takes: 'url',
    about: 'the HTTP adapter, for messages (default <url>/http)',
  },
  readerUrl: { takes: 'url', about: 'the reader (default <url>/reader)' },
} satisfies Record<`${keyof ServiceUrls}Url`, Flag>;

const addressFlags = {
  url: {
    takes: 'url',
    about: `all services together (default ${defaultUrl}, or $MILLRACE_URL)`,
  },
  ...serviceFlags,
  insecure: { short: 'i', about: 'do not check TLS certificates' },
} satisfies Record<string, Flag>;

/** Flags that choose what a command works on. */
const scopeFlags = {
  // As in the platform's client.
  limit: { short: 'l', takes: 'n', about: 'how many at most', read: toCount, default: 100 },
  offset: { takes: 'n', about: 'how many to skip (also -o <n>)', read: toCount },
  name: { short: 'n', takes: 'text', about: 'with this name' },
  email: { short: 'e', takes: 'text', about: 'with this e-mail' },
  metadata: { short: 'm', takes: 'json', about: 'with this in the metadata' },
  order: {
    takes: 'member',
    about: 'member to sort by: name, created_at, …; of an export: store or time',
  },
  dir: { takes: 'dir', about: 'asc or desc', choices: ['asc', 'desc'] },
  format: {
    short: 'f',
    takes: 'format',
    about: 'format of messages: senml or json',
    offers: ['senml', 'json'],
  },
  subtopic: { short: 's', takes: 'subtopic', about: 'subtopic of messages' },
} satisfies Record<string, Flag>;

const outputFlags = {
  output: {
    short: 'o',
    takes: 'format',
    about: `${outputs.join(', ')} (default: tables on a terminal, JSON elsewhere)`,
    read: toOutput,
    offers: outputs,
  },
  print: { takes: 'member', about: 'this member of the answer alone, one on a line: id, key, …' },
  raw: { short: 'r', about: 'ids alone, and JSON on one line' },
  contentType: {
    short: 'y',
    takes: 'type',
    about: 'content type of messages to send',
    default: 'application/senml+json',
    offers: ['application/senml+json', 'application/senml+cbor', 'application/json'],
  },
} satisfies Record<string, Flag>;

const table = { ...addressFlags, ...scopeFlags, ...outputFlags };
type Table = typeof table;
type FlagName = keyof Table;

type ValueOf<One> = One extends { read: (text: string) => infer Value }
  ? Value
  : One extends { takes: string }
    ? string
    : boolean;
type WithDefault = {
  [Name in FlagName]: Table[Name] extends { default: unknown } ? Name : never;
}[FlagName];

/** The values of one invocation, as Commander has them. */
export type Flags = { [Name in WithDefault]: ValueOf<Table[Name]> } & {
  [Name in Exclude<FlagName, WithDefault>]?: ValueOf<Table[Name]>;
};

/** The flags by the headings of the help. */
export function flagOptions(): Readonly<Record<string, Option[]>> {
  return {
    'Addresses of the services:': optionsOf(addressFlags),
    'What to list, read or delete:': optionsOf(scopeFlags),
    'Output, and messages to send:': optionsOf(outputFlags),
  };
}

function optionsOf(flags: Readonly<Record<string, Flag>>): Option[] {
  return Object.entries(flags).flatMap(([name, flag]) => {
    const { short, takes, about, read, choices } = flag;
    const long = longOf(name);
    const both = short === undefined ? long : `-${short}, ${long}`;
    // `--no-raw` cancels `--raw`.
    if (takes === undefined) {
      return [new Option(both, about), new Option(long.replace('--', '--no-')).hideHelp()];
    }
    const option = new Option(`${both} <${takes}>`, about).default(flag.default);
    if (read !== undefined) option.argParser(read);
    if (choices !== undefined) option.choices(choices);
    return [option];
  });
}

/** Flags of lists. */
export const pageFlags: readonly FlagName[] = ['limit', 'offset'];
/** The flags that choose what a command works on. */
export const scopeFlagNames = Object.keys(scopeFlags);

/** Values that shells offer, by the name of the flag in the settings. */
export const offered: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries<Flag>(table).map(([name, { offers = [] }]) => [name, offers]),
);

/** Whether this flag, written as Commander takes it, is one of all commands. */
export function isGlobal(flags: string): boolean {
  return Object.hasOwn(table, attributeOf(flags));
}

/** `--agg-type <type>` as `aggType`. */
export function attributeOf(flags: string): string {
  const [, long = ''] = /--([\w-]+)/.exec(flags) ?? [];
  return long.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** `aggType` as `--agg-type`. */
export function longOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `-o 20` is the platform's offset, `-o table` how to write. */
function toOutput(text: string): OutputFormat | number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const format = outputs.find((one) => one === text);
  if (format !== undefined) return format;
  throw new InvalidArgumentError(`It is one of ${outputs.join(', ')}.`);
}

/** Parsers of flag values. Commander adds the flag's name to their errors. */

export function toCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not a whole number.');
}

export function toNumber(text: string): number {
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError('It is not a number.');
}
