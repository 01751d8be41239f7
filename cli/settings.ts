import { InvalidArgumentError, type Command, Option } from 'commander';
import {
  aggregation,
  type ExportQuery,
  exportQuery,
  filters,
  type ReadQuery,
  readQuery,
} from '../schemas/message-query.ts';
import { having } from './client/shape.ts';
import { defaultUrl, type ServiceUrls, serviceUrls, withoutEnd } from './client/urls.ts';
import { parseObject, parseTime, UsageError } from './usage.ts';

/** The platform's client shows so many. */
const limitDefault = 100;

export const outputs = ['json', 'table', 'ndjson', 'csv'] as const;
export type OutputFormat = (typeof outputs)[number];

/** The flags that stand before or behind any command, as they were given. */
type Flags = {
  url?: string;
  authUrl?: string;
  certsUrl?: string;
  thingsUrl?: string;
  usersUrl?: string;
  webhooksUrl?: string;
  httpUrl?: string;
  readerUrl?: string;
  contentType: string;
  email?: string;
  format?: string;
  metadata?: string;
  offset?: number;
  output?: OutputFormat | number;
  raw?: boolean;
  insecure?: boolean;
} & MessageFlags;

/** The flag of each parameter of the reader's queries, by its name in the settings. */
const attributes = {
  publisher: 'publisher',
  subtopic: 'subtopic',
  protocol: 'protocol',
  name: 'name',
  v: 'senmlValue',
  comparator: 'comparator',
  vs: 'stringValue',
  vb: 'boolValue',
  vd: 'dataValue',
  filter: 'filter',
  from: 'from',
  to: 'to',
  agg_type: 'aggType',
  agg_interval: 'aggInterval',
  agg_value: 'aggValue',
  agg_field: 'aggField',
  agg_fill: 'aggFill',
  tz: 'tz',
  points: 'points',
  limit: 'limit',
  offset: 'offset',
  dir: 'dir',
  cursor: 'cursor',
  convert: 'convert',
} as const satisfies Record<keyof ReadQuery | keyof ExportQuery, string>;

type Query = ReadQuery & ExportQuery;

type MessageFlags = {
  [Name in keyof typeof attributes as (typeof attributes)[Name]]?: Query[Name];
} & { senmlName?: string };

/** What stands for a value in help. */
const placeholders: Readonly<Record<string, string>> = {
  publisher: 'thing_id',
  from: 'time',
  to: 'time',
  filter: 'path',
  agg_interval: 'unit',
  agg_field: 'fields',
  tz: 'zone',
};

type Parameter = { type?: unknown; enum?: readonly string[]; description: string };

/** Flags made from the reader's queries themselves, so that they are the same as the API's. */
function messageOptions(): Option[] {
  const elsewhere = ['name', 'subtopic', 'limit', 'offset'];
  const parameters: Record<string, Parameter> = { ...exportQuery, ...readQuery };
  const made = Object.entries(attributes)
    .filter(([name]) => !elsewhere.includes(name))
    .flatMap(([name, attribute]) => {
      const parameter = parameters[name];
      return parameter === undefined ? [] : optionsOf(name, attribute, parameter);
    });
  const named = new Option('--senml-name <name>', 'The same as --name.');
  return [named, ...made];
}

function optionsOf(name: string, attribute: string, parameter: Parameter): Option[] {
  const flag = flagOf(attribute);
  const about = aboutOf(parameter.description);
  if (parameter.type === 'boolean') {
    const off = flag.replace('--', '--no-');
    return [new Option(flag, `${about} ${off} for false.`), new Option(off).hideHelp()];
  }
  const option = new Option(`${flag} <${placeholders[name] ?? name}>`, about);
  if (parameter.enum !== undefined) option.choices(parameter.enum);
  else if (parameter.type === 'number') option.argParser(toNumber);
  else if (parameter.type === 'integer') option.argParser(toCount);
  else if (Array.isArray(parameter.type)) option.argParser(toTime);
  else if (parameter.type === undefined) {
    option.argParser((given) => given.split(','));
    option.description += ' Several stand between commas.';
  }
  return [option];
}

function flagOf(attribute: string): string {
  return `--${attribute.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A description in which other parameters are called by their flags. */
function aboutOf(description: string): string {
  const flags = new Map<string, string>(Object.entries(attributes));
  return description
    .replace('May be given more than once for aggregates. ', '')
    .replaceAll(/`([^`]*)`/g, (_whole, name: string) => {
      const attribute = flags.get(name);
      return attribute === undefined ? name : flagOf(attribute);
    });
}

/** Adds the platform's global flags, long and short, and ours. */
export function addGlobalFlags(program: Command): void {
  const text = (flags: string, about: string) => new Option(flags, about);
  const options: Record<string, Option[]> = {
    'Where the services answer:': [
      text('--url <url>', `all services together (default ${defaultUrl}, or $MILLRACE_URL)`),
      text('-a, --auth-url <url>', 'auth: orgs, memberships, API keys'),
      text('-c, --certs-url <url>', 'certificates'),
      text('-t, --things-url <url>', 'things: groups, profiles, things'),
      text('-u, --users-url <url>', 'users and tokens'),
      text('-w, --webhooks-url <url>', 'webhooks (default <url>/svcwebhooks)'),
      text('-p, --http-url <url>', 'the HTTP adapter, for messages (default <url>/http)'),
      text('--reader-url <url>', 'the reader (default <url>/reader)'),
      text('-i, --insecure', 'do not check TLS certificates'),
      text('--no-insecure', '').hideHelp(),
    ],
    'What is asked for:': [
      text('-l, --limit <n>', 'at most so many').argParser(toCount).default(limitDefault),
      text('--offset <n>', 'leave out so many (also -o <n>)').argParser(toCount),
      text('-n, --name <text>', 'of that name'),
      text('-e, --email <text>', 'of that e-mail'),
      text('-m, --metadata <json>', 'whose metadata holds this'),
      text('-f, --format <format>', 'format of messages: senml or json'),
      text('-s, --subtopic <subtopic>', 'subtopic of messages'),
    ],
    'How it is written:': [
      text(
        '-o, --output <format>',
        `${outputs.join(', ')} (default: tables on a terminal, JSON elsewhere)`,
      ).argParser(toOutput),
      text('-r, --raw', 'bare ids, and JSON on one line'),
      text('--no-raw', '').hideHelp(),
      text('-y, --content-type <type>', 'of messages that are sent').default(
        'application/senml+json',
      ),
    ],
    'Messages that are read, exported or deleted:': messageOptions(),
  };
  for (const [heading, list] of Object.entries(options)) {
    program.optionsGroup(heading);
    for (const option of list) program.addOption(option);
  }
  program.optionsGroup('And:');
}

/** Flags of lists, of messages, and of what is made of them, by their names in the settings. */
export const pageFlags: readonly string[] = ['limit', 'offset'];
export const listFlags: readonly string[] = [...pageFlags, 'name', 'metadata'];
export const filterFlags: readonly string[] = [...flagsOf(filters), 'senmlName'];
export const pictureFlags: readonly string[] = [...flagsOf(aggregation), 'points'];

function flagsOf(parameters: object): string[] {
  return Object.entries(attributes).flatMap(([name, flag]) => (name in parameters ? [flag] : []));
}

/** All that say which of something is meant: what removes must obey them or refuse them. */
export const scopeFlags: readonly string[] = [
  ...listFlags,
  ...filterFlags,
  ...pictureFlags,
  'email',
  'format',
  'dir',
  'cursor',
  'convert',
];

/** What the flags of one invocation come to. */
export type Settings = ReturnType<typeof readSettings>;

export function readSettings(flags: Flags, env: { baseUrl: string | undefined }) {
  const { output } = flags;
  const offset = flags.offset ?? (typeof output === 'number' ? output : 0);
  const metadata =
    flags.metadata === undefined
      ? undefined
      : parseObject('--metadata', flags.metadata, having<Record<string, unknown>>());
  const range = { from: flags.from, to: flags.to };
  const which = {
    ...range,
    publisher: flags.publisher,
    subtopic: flags.subtopic,
    protocol: flags.protocol,
    name: flags.senmlName ?? flags.name,
    v: flags.senmlValue,
    comparator: flags.comparator,
    vs: flags.stringValue,
    vb: flags.boolValue,
    vd: flags.dataValue,
    filter: flags.filter,
  } satisfies Record<keyof typeof filters, unknown>;
  const { dir, limit = limitDefault } = flags;
  return {
    urls: readUrls(flags, env.baseUrl),
    insecure: flags.insecure === true,
    output: typeof output === 'number' ? undefined : output,
    raw: flags.raw === true,
    contentType: flags.contentType,
    format: flags.format,
    subtopic: flags.subtopic,
    /** Of lists. */
    page: { limit, offset },
    named: { name: flags.name, metadata },
    email: flags.email,
    metadata,
    /** Of messages. */
    range,
    filters: which,
    exported: { ...which, dir, convert: flags.convert } satisfies Record<
      keyof ExportQuery,
      unknown
    >,
    messagePage: {
      ...which,
      agg_type: flags.aggType,
      agg_interval: flags.aggInterval,
      agg_value: flags.aggValue,
      agg_field: flags.aggField,
      agg_fill: flags.aggFill,
      tz: flags.tz,
      points: flags.points,
      limit,
      offset,
      dir,
      cursor: flags.cursor,
    } satisfies Record<keyof ReadQuery, unknown>,
  };
}

function readUrls(flags: Flags, baseUrl: string | undefined): ServiceUrls {
  const base = serviceUrls(mustBeUrl('--url', flags.url ?? baseUrl ?? defaultUrl));
  const one = (name: string, given: string | undefined, otherwise: string) =>
    given === undefined ? otherwise : withoutEnd(mustBeUrl(name, given));
  return {
    auth: one('--auth-url', flags.authUrl, base.auth),
    certs: one('--certs-url', flags.certsUrl, base.certs),
    things: one('--things-url', flags.thingsUrl, base.things),
    users: one('--users-url', flags.usersUrl, base.users),
    webhooks: one('--webhooks-url', flags.webhooksUrl, base.webhooks),
    http: one('--http-url', flags.httpUrl, base.http),
    reader: one('--reader-url', flags.readerUrl, base.reader),
  };
}

function mustBeUrl(name: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`${name} is not an HTTP URL, such as ${defaultUrl}`);
}

function toCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not a whole number.');
}

function toNumber(text: string): number {
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError('It is not a number.');
}

function toTime(text: string): string {
  return parseTime('the time', text);
}

/** `-o 20` is the platform's offset, `-o table` how to write. */
function toOutput(text: string): OutputFormat | number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const format = outputs.find((one) => one === text);
  if (format !== undefined) return format;
  throw new InvalidArgumentError(`It is one of ${outputs.join(', ')}.`);
}
