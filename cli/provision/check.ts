import { createHash } from 'node:crypto';
import { ApiError } from '../../schemas/client/errors.ts';
import type { Millrace } from '../../schemas/client/client.ts';
import { type Entry, type Wrong, wrong } from './entry.ts';
import type { Kind } from './kind.ts';
import { readOutcomes } from './outcomes.ts';
import { FileError } from './files/text.ts';

/** A line that is wrong, and why. */
export type Problem = { line: number; reason: string };

/** A file that was read to its end: the number of entries, and the wrong lines. */
export type CheckedFile = { count: number; problems: Problem[]; problemCount: number };

type Parent = { kind: 'parent'; groupId: string } | Wrong;

/** How many are printed; the others are counted. */
const problemsToldMax = 20;

/** Reads the whole file, and asks the server for the parents it names. Nothing is created. */
export async function checkFile<New, Shown extends { id: string; name: string }>(
  kind: Kind<New, Shown>,
  client: Millrace,
  path: string,
  parentId: string | undefined,
): Promise<CheckedFile> {
  const checked: CheckedFile = { count: 0, problems: [], problemCount: 0 };
  const tell = (line: number, reason: string) => {
    checked.problemCount += 1;
    if (checked.problems.length < problemsToldMax) checked.problems.push({ line, reason });
  };
  const parents = new Map<string, Promise<Parent>>();
  const seen = new Map<string, number>();
  try {
    for await (const outcome of readOutcomes(kind, path, parentId)) {
      checked.count += 1;
      if (outcome.kind === 'wrong') {
        tell(outcome.line, outcome.problem);
        continue;
      }
      const { entry } = outcome;
      const key = entry.parentId.toLowerCase();
      const known = parents.get(key) ?? findParent(kind, client, entry.parentId);
      parents.set(key, known);
      const parent = await known;
      const problem =
        parent.kind === 'wrong' ? parent.problem : conflictOf(kind, entry, parent.groupId, seen);
      if (problem !== undefined) tell(entry.line, problem);
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    tell(error.line, error.message);
  }
  return checked;
}

async function findParent<New, Shown extends { id: string; name: string }>(
  kind: Kind<New, Shown>,
  client: Millrace,
  parentId: string,
): Promise<Parent> {
  try {
    return { kind: 'parent', groupId: await kind.groupOf(client, parentId) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) return wrong(`there is no ${kind.parent} ${parentId}`);
    if (error.status === 403) return wrong(`${kind.parent} ${parentId} is not yours to see`);
    throw error;
  }
}

/** The line that an entry repeats or contradicts, in words. */
function conflictOf<New>(
  kind: { parent: string },
  entry: Entry<New>,
  groupId: string,
  seen: Map<string, number>,
): string | undefined {
  if (entry.groupId !== undefined && entry.groupId.toLowerCase() !== groupId.toLowerCase()) {
    return `its ${kind.parent} is in another group than group_id says`;
  }
  const unique = [
    ['name', `${groupId}/${entry.name}`],
    ['id', entry.id?.toLowerCase()],
    ['external_key', entry.externalKey],
  ] as const;
  for (const [member, value] of unique) {
    if (value === undefined) continue;
    // A hash, so that a hundred thousand long names take no more memory than short ones.
    const key = createHash('sha256').update(`${member}/${value}`).digest('base64').slice(0, 22);
    const earlier = seen.get(key);
    if (earlier !== undefined) return `its ${member} stands on line ${earlier} already`;
    seen.set(key, entry.line);
  }
  return undefined;
}
