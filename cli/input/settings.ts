import { InvalidArgumentError, type Command, Option } from 'commander';
import {
  exportParameters,
  filterParameters,
  readParameters,
} from '../../schemas/messages/query.ts';
import { defaultUrl, type ServiceUrls, serviceUrls, withoutEnd } from '../client/urls.ts';
import { toCount } from './flag-values.ts';
import { messageFlags, messageOptions, readMessageFlags } from './message-flags.ts';
import { UsageError } from './usage.ts';

/** The platform's client shows so many. */
const limitDefault = 100;

export const outputs = ['json', 'table', 'ndjson', 'csv'] as const;
export type OutputFormat = (typeof outputs)[number];

/** The flags that stand before or after any command, as they were given. */
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
  limit?: number;
  name?: string;
  subtopic?: string;
  senmlName?: string;
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
      text('-l, --limit <n>', 'at most so many').argParser(toCount).default(limitDefault),
      text('--offset <n>', 'leave out so many (also -o <n>)').argParser(toCount),
      text('-n, --name <text>', 'of that name'),
      text('-e, --email <text>', 'of that e-mail'),
      text('-m, --metadata <json>', 'whose metadata holds this'),
      text('--order <member>', 'sorted by this: name, created_at, …; an export by store or time'),
      text('--dir <dir>', 'asc or desc').choices(['asc', 'desc']),
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

/** Flags of lists, by their names in the settings. */
export const pageFlags: readonly string[] = ['limit', 'offset'];
/** All that say which of something is meant: what removes must obey them or refuse them. */
export const scopeFlags: readonly string[] = [
  ...pageFlags,
  ...messageFlags,
  'order',
  'dir',
  'name',
  'metadata',
  'subtopic',
  'email',
  'format',
];

/** What the flags of one invocation come to. */
export type Settings = ReturnType<typeof readSettings>;

export function readSettings(flags: Flags, env: { baseUrl: string | undefined }) {
  const { output } = flags;
  const offset = flags.offset ?? (typeof output === 'number' ? output : 0);
  const { limit = limitDefault, name } = flags;
  const asked = { ...flags, senmlName: flags.senmlName ?? name, limit, offset };
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
    email: flags.email,
    /** Of messages. */
    filters: readMessageFlags(filterParameters, asked),
    get exported() {
      // Other commands have other orders.
      return readMessageFlags(exportParameters, asked);
    },
    messagePage: readMessageFlags(readParameters, asked),
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

/** `-o 20` is the platform's offset, `-o table` how to write. */
function toOutput(text: string): OutputFormat | number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const format = outputs.find((one) => one === text);
  if (format !== undefined) return format;
  throw new InvalidArgumentError(`It is one of ${outputs.join(', ')}.`);
}
