import { read } from './sources.ts';

/** The states that a document's diagram under this heading has. */
export function statesOfDiagram(path: string, heading: string): string[] {
  const [, section = ''] = read(path).split(`${heading}\n`);
  const [, diagram = ''] = /```mermaid\nstateDiagram-v2\n([^`]*)```/.exec(section) ?? [];
  const arrows = [...diagram.matchAll(/^\s*(\S+) --> ([^\s:]+)/gm)];
  const states = arrows.flatMap(([, from = '', to = '']) => [from, to]);
  return [...new Set(states)].filter((state) => state !== '[*]').toSorted();
}

/** The states that a union of a file has, by its `kind`, with those of the types of this file that it names. */
export function statesOfUnion(path: string, type: string): string[] {
  const [, after = ''] = read(path).split(`type ${type} =`);
  const [body = ''] = after.split('\n\n');
  const own = [...body.matchAll(/\{\s*kind: ([^;}]*)/g)].flatMap(([, values = '']) =>
    [...values.matchAll(/'([^']+)'/g)].map(([, value = '']) => value),
  );
  const others = [...body.matchAll(/\| ([A-Z]\w+);?$/gm)].flatMap(([, name = '']) =>
    statesOfUnion(path, name),
  );
  return [...new Set([...own, ...others])].toSorted();
}
