import type { NewProfile } from '../client/call.ts';
import { FieldError } from '../client/failure.ts';
import { objectIn } from '../client/json-text.ts';
import { profileTexts } from '../texts/profile.ts';

export type Config = NonNullable<NewProfile['config']>;

/** A part of the config with members of its own. */
type Part = 'transformer' | 'line' | 'gateway';

/** Of a member of a part. */
type Kind = 'text' | 'texts' | 'number' | 'boolean';

const parts: { [Of in Part]: Record<keyof NonNullable<Config[Of]>, Kind> } = {
  transformer: {
    data_field: 'text',
    data_filters: 'texts',
    time_field: 'text',
    time_format: 'text',
    time_location: 'text',
  },
  line: { tags: 'texts' },
  gateway: {
    device_tag: 'text',
    device_level: 'number',
    device_path: 'text',
    key_prefix: 'text',
    create_things: 'boolean',
  },
};

const isOfKind: Record<Kind | 'object', (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  texts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** Tells which member the fields could not show, and what it must be. Members that have no field are the API's to refuse. */
export function wrongMemberOf(config: Readonly<Record<string, unknown>>): string | undefined {
  const members: [path: string, value: unknown, kind: Kind | 'object'][] = [
    ['content_type', config['content_type'], 'text'],
    ['write', config['write'], 'boolean'],
  ];
  for (const [part, kinds] of Object.entries(parts)) {
    const value = config[part];
    members.push([part, value, 'object']);
    const inside = new Map(Object.entries(value ?? {}));
    for (const [name, kind] of Object.entries(kinds)) {
      members.push([`${part}.${name}`, inside.get(name), kind]);
    }
  }
  const wrong = members.find(([, value, kind]) => value !== undefined && !isOfKind[kind](value));
  return wrong && profileTexts.wrongMember(wrong[0], profileTexts.kinds[wrong[2]]);
}

/** A config that somebody typed into the field of that name. @throws FieldError */
export function configIn(text: string, field: string): Config {
  const config = objectIn(text, field);
  const wrong = wrongMemberOf(config);
  if (wrong !== undefined) throw new FieldError(field, wrong);
  return config;
}

/** Whether records have less than the messages that they were made of. */
export function keepsPart(config: Readonly<Record<string, unknown>>): boolean {
  if (wrongMemberOf(config) !== undefined) return true;
  const { transformer = {} }: Config = config;
  const filters = transformer.data_filters?.filter((path) => path !== '') ?? [];
  return (transformer.data_field ?? '') !== '' || filters.length > 0;
}

/** The config with a member set; without it for `undefined`. */
export function withMember<Name extends keyof Config>(
  config: Config,
  name: Name,
  value: Config[Name] | undefined,
): Config {
  const { [name]: _, ...rest } = config;
  return value === undefined ? rest : { ...rest, [name]: value };
}

/** The same for a member of a part: a part without members is left out. */
export function withInPart<Of extends Part>(
  config: Config,
  part: Of,
  change: { [Name in keyof NonNullable<Config[Of]>]?: NonNullable<Config[Of]>[Name] | undefined },
): Config {
  const changed: Record<string, unknown> = { ...config[part], ...change };
  const kept = Object.entries(changed).filter(([, value]) => value !== undefined);
  return kept.length === 0
    ? withMember(config, part, undefined)
    : { ...config, [part]: Object.fromEntries(kept) };
}

/** One path or tag a line; undefined where there are none. */
export function linesIn(text: string): string[] | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.length === 0 ? undefined : lines;
}

/** A text; undefined for an empty one. */
export const textIn = (text: string): string | undefined => (text === '' ? undefined : text);
