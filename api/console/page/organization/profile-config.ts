import type { NewProfile } from '../client/call.ts';

export type Config = NonNullable<NewProfile['config']>;

/** A part of the config with members of its own. */
type Part = 'transformer' | 'line' | 'gateway';

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
