import { imports } from './sources.ts';

/** Of each entry of a folder, which other entries of it import it uses. */
type Uses = Map<string, Set<string>>;

/**
 * The entries of a folder, files and folders, must form no loop of imports, types included: then a reader can begin
 * with what stands on nothing else. Gives each loop as `folder: entry, entry`.
 */
export function loops(paths: readonly string[]): string[] {
  const known = new Set(paths);
  const folders = new Map<string, Uses>();
  for (const path of paths) {
    for (const target of imports(path)) {
      if (!known.has(target) || target === path) continue;
      const [from, to] = [path.split('/'), target.split('/')];
      const depth = from.findIndex((part, at) => part !== to[at]);
      const folder = from.slice(0, depth).join('/') || '.';
      const uses = folders.get(folder) ?? new Map<string, Set<string>>();
      folders.set(folder, uses);
      const [entry = '', used = ''] = [from[depth], to[depth]];
      uses.set(entry, (uses.get(entry) ?? new Set()).add(used));
    }
  }
  return [...folders].flatMap(([folder, uses]) =>
    loopsOf(uses).map((entries) => `${folder}: ${entries.join(', ')}`),
  );
}

/** Entries that reach each other, in groups. */
function loopsOf(uses: Uses): string[][] {
  const reachable = new Map([...uses.keys()].map((entry) => [entry, reachedFrom(entry, uses)]));
  const found = new Map<string, string[]>();
  for (const [entry, reached] of reachable) {
    if (!reached.has(entry)) continue;
    const loop = [...reached].filter((other) => reachable.get(other)?.has(entry)).toSorted();
    found.set(loop.join(), loop);
  }
  return [...found.values()];
}

function reachedFrom(entry: string, uses: Uses): Set<string> {
  const reached = new Set<string>();
  const left = [entry];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const used of uses.get(next) ?? []) {
      if (reached.has(used)) continue;
      reached.add(used);
      left.push(used);
    }
  }
  return reached;
}
