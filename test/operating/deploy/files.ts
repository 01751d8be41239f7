import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import { parseAllDocuments } from 'yaml';

/** What the tests of infra/deploy have in common: where the files are, and how to look into them. */

export const root = join(import.meta.dirname, '../../..');
export const deploy = join(root, 'infra/deploy');

export const read = (path: string): string => readFileSync(join(deploy, path), 'utf8');

/** Every file under a directory of infra/deploy, as its path there; secrets that somebody made are left out. */
export function filesUnder(directory: string): string[] {
  return readdirSync(join(deploy, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(deploy, join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|\/)secrets\/|(^|\/)\.env$/.test(path))
    .toSorted();
}

/** The documents of a YAML file. @throws for what is no YAML, and for a key that stands twice. */
export function readYaml(path: string): unknown[] {
  return parseAllDocuments(read(path), { merge: true, uniqueKeys: true }).map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw new Error(`${path}: ${problem.message}`);
    return document.toJS();
  });
}

/** A member, or a member of it, and so on; undefined where there is none. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inside, name) =>
      typeof inside === 'object' && inside !== null ? Reflect.get(inside, name) : undefined,
    value,
  );
}

export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const entries = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

/** What a YAML mapping gives a process as its environment. */
export function environment(value: unknown): Record<string, string> {
  return Object.fromEntries(entries(value).map(([name, one]) => [name, String(one)]));
}

/** An environment file. */
export function readEnvFile(path: string): Record<string, string> {
  return environment(parseEnv(read(path)));
}

/** The seconds of `1m30s`, `20s` or 20. */
export function secondsOf(duration: unknown): number {
  const text = String(duration);
  if (/^\d+$/.test(text)) return Number(text);
  const [, minutes = '0', seconds = '0'] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ?? [];
  return Number(minutes) * 60 + Number(seconds);
}

export const isThere = (path: string): boolean => existsSync(join(deploy, path));
