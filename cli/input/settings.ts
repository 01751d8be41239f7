import type { Command } from 'commander';
import {
  exportParameters,
  filterParameters,
  readParameters,
} from '../../schemas/messages/query.ts';
import {
  defaultUrl,
  type ServiceUrls,
  serviceUrls,
  withoutEnd,
} from '../../schemas/client/urls.ts';
import { flagOptions, type Flags, longOf, scopeFlagNames } from './flags.ts';
import { messageFlags, messageOptions, readMessageFlags } from './message-flags.ts';
import { UsageError } from './usage.ts';

/** Adds the platform's global flags, long and short, and ours. */
export function addGlobalFlags(program: Command): void {
  const options = {
    ...flagOptions(),
    'Messages to read, export or delete:': messageOptions(),
  };
  for (const [heading, list] of Object.entries(options)) {
    program.optionsGroup(heading);
    for (const option of list) program.addOption(option);
  }
  program.optionsGroup('Other:');
}

/** All flags that choose what a command works on. A command that removes must use or refuse them. */
export const scopeFlags: readonly string[] = [...scopeFlagNames, ...messageFlags];

/** The values of all flags of one invocation. */
export type Settings = ReturnType<typeof readSettings>;

export function readSettings(flags: Flags, env: { baseUrl: string | undefined }) {
  const { output } = flags;
  const offset = flags.offset ?? (typeof output === 'number' ? output : 0);
  const { limit, name } = flags;
  const asked = { senmlName: name, ...flags, offset };
  return {
    urls: readUrls(flags, env.baseUrl),
    insecure: flags.insecure === true,
    output: typeof output === 'number' ? undefined : output,
    raw: flags.raw === true,
    print: flags.print,
    contentType: flags.contentType,
    format: flags.format,
    subtopic: flags.subtopic,
    /** Of lists. */
    page: { limit, offset },
    email: flags.email,
    /** Of messages. */
    filters: readMessageFlags(filterParameters, asked),
    get exported() {
      // Other commands have other values of --order.
      return readMessageFlags(exportParameters, asked);
    },
    messagePage: readMessageFlags(readParameters, asked),
  };
}

function readUrls(flags: Flags, baseUrl: string | undefined): ServiceUrls {
  const base = serviceUrls(mustBeUrl('--url', flags.url ?? baseUrl ?? defaultUrl));
  const urlOf = (service: keyof ServiceUrls) => {
    const flag = `${service}Url` as const;
    const given = flags[flag];
    return given === undefined ? base[service] : withoutEnd(mustBeUrl(longOf(flag), given));
  };
  return {
    auth: urlOf('auth'),
    certs: urlOf('certs'),
    things: urlOf('things'),
    users: urlOf('users'),
    webhooks: urlOf('webhooks'),
    http: urlOf('http'),
    reader: urlOf('reader'),
  };
}

function mustBeUrl(name: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`${name} is not an HTTP URL, such as ${defaultUrl}`);
}
