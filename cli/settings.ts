import { InvalidArgumentError, type Command, Option } from 'commander';
import { having } from './client/shape.ts';
import { defaultUrl, type ServiceUrls, serviceUrls, withoutEnd } from './client/urls.ts';
import { parseObject, parseTime, UsageError } from './usage.ts';

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
  limit: number;
  metadata?: string;
  name?: string;
  offset?: number;
  output?: OutputFormat | number;
  raw?: boolean;
  insecure?: boolean;
  subtopic?: string;
  publisher?: string;
  protocol?: string;
  from?: string;
  to?: string;
  dir?: string;
  filter?: string;
  aggType?: string;
  aggInterval?: string;
  aggValue?: number;
  aggField?: string;
  aggFill?: string;
  points?: number;
  tz?: string;
  senmlName?: string;
  senmlValue?: number;
  comparator?: string;
  boolValue?: boolean;
  stringValue?: string;
  dataValue?: string;
  convert?: string;
};

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
      text('-l, --limit <n>', 'at most so many').argParser(toCount).default(100),
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
    'Messages that are read, exported or deleted:': [
      text('--publisher <thing_id>', 'of that thing'),
      text('--protocol <protocol>', 'that came by it'),
      text('--from <time>', 'since then: nanoseconds, or 2026-11-21T10:00:00Z').argParser(toTime),
      text('--to <time>', 'until then').argParser(toTime),
      text('--dir <dir>', 'asc or desc'),
      text('--filter <path>', 'JSON: that have this member'),
      text('--senml-name <name>', 'SenML: of that name (as --name)'),
      text('--senml-value <n>', 'SenML: of that value').argParser(toNumber),
      text('--comparator <op>', 'how to compare with it: eq, lt, le, gt, ge'),
      text('--bool-value', 'SenML: true (--no-bool-value: false)'),
      text('--no-bool-value', '').hideHelp(),
      text('--string-value <text>', 'SenML: of that text'),
      text('--data-value <data>', 'SenML: of that data'),
      text('--agg-type <type>', 'min, max, avg, sum, count, first, last of each interval'),
      text('--agg-interval <unit>', 'microsecond, second, minute … year'),
      text('--agg-value <n>', 'so many units together').argParser(toCount),
      text('--agg-field <fields>', 'JSON: of these members, between commas'),
      text('--agg-fill <how>', 'in intervals without messages: none, null, zero, previous, linear'),
      text('--points <n>', 'only so many messages, that draw the same picture').argParser(toCount),
      text('--tz <zone>', 'time zone in which days begin'),
      text('--convert <type>', 'export as json, csv, ndjson, parquet or arrow'),
    ],
  };
  for (const [heading, list] of Object.entries(options)) {
    program.optionsGroup(heading);
    for (const option of list) program.addOption(option);
  }
  program.optionsGroup('And:');
}

/** Flags of lists, of messages, and of what is made of them, by their names in the settings. */
export const pageFlags = ['limit', 'offset'] as const;
export const listFlags = [...pageFlags, 'name', 'metadata'] as const;
export const filterFlags = [
  'publisher',
  'subtopic',
  'protocol',
  'name',
  'senmlName',
  'senmlValue',
  'comparator',
  'boolValue',
  'stringValue',
  'dataValue',
  'filter',
  'from',
  'to',
] as const;
export const pictureFlags = [
  'aggType',
  'aggInterval',
  'aggValue',
  'aggField',
  'aggFill',
  'points',
  'tz',
] as const;

/** All that say which of something is meant: what removes must obey them or refuse them. */
export const scopeFlags: readonly string[] = [
  ...listFlags,
  ...filterFlags,
  ...pictureFlags,
  'email',
  'format',
  'dir',
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
  const filters = {
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
    dir: flags.dir,
  };
  return {
    urls: readUrls(flags, env.baseUrl),
    insecure: flags.insecure === true,
    output: typeof output === 'number' ? undefined : output,
    raw: flags.raw === true,
    contentType: flags.contentType,
    format: flags.format,
    subtopic: flags.subtopic,
    convert: flags.convert,
    /** Of lists. */
    page: { limit: flags.limit, offset },
    named: { name: flags.name, metadata },
    email: flags.email,
    metadata,
    /** Of messages. */
    range,
    filters,
    messagePage: {
      ...filters,
      agg_type: flags.aggType,
      agg_interval: flags.aggInterval,
      agg_value: flags.aggValue,
      agg_field: flags.aggField?.split(','),
      agg_fill: flags.aggFill,
      points: flags.points,
      tz: flags.tz,
      limit: flags.limit,
      offset,
    },
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
