import { dirname, join, normalize } from 'node:path';
import { read } from './sources.ts';

const declared =
  /^export (?:declare )?(?:async )?(?:const|let|function\*?|class|type|interface) ([\w$]+)/gm;
const listed = /^export (?:type )?\{([^}]*)\}(?! from)/gm;
const taken =
  /(?:import|export) (?:type )?(?:[\w$]+, )?(\{[^}]*\}|\*)(?: as [\w$]+)?\s+from '(\.{1,2}\/[^']+)'/g;
const loaded =
  /(?:import\(|new URL\()\s*'(\.{1,2}\/[^']+)'|import ([\w$]+) from '(\.{1,2}\/[^']+)'/g;

const namesOf = (list: string) =>
  list
    .replaceAll(/[{}]/g, '')
    .split(',')
    .map(
      (one) =>
        one
          .trim()
          .replace(/^type /, '')
          .split(' as ')[0] ?? '',
    )
    .filter((name) => name !== '');

/** Names that a file exports and no other file imports, as `path name`. */
export function unusedExports(of: readonly string[], by: readonly string[]): string[] {
  const used = new Map<string, Set<string>>();
  const whole = new Set<string>();
  for (const path of by) {
    const text = read(path);
    const target = (specifier: string) => normalize(join(dirname(path), specifier));
    for (const [, list = '', specifier = ''] of text.matchAll(taken)) {
      if (list === '*') whole.add(target(specifier));
      const names = used.get(target(specifier)) ?? new Set<string>();
      used.set(target(specifier), names);
      for (const name of namesOf(list)) names.add(name);
    }
    for (const [, called, , imported] of text.matchAll(loaded)) {
      if (called !== undefined) whole.add(target(called));
      if (imported !== undefined)
        used.set(target(imported), used.get(target(imported)) ?? new Set());
    }
  }
  return of.flatMap((path) => {
    if (whole.has(path)) return [];
    const text = read(path);
    const names = [
      ...[...text.matchAll(declared)].map(([, name = '']) => name),
      ...[...text.matchAll(listed)].flatMap(([, list = '']) => namesOf(list)),
    ];
    return names
      .filter((name) => used.get(path)?.has(name) !== true)
      .map((name) => `${path} ${name}`);
  });
}
