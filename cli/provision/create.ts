import { setTimeout as delay } from 'node:timers/promises';
import type { Millrace } from '../../schemas/client/client.ts';
import { ApiError } from '../../schemas/client/errors.ts';
import { isPassing, waitBefore } from '../../schemas/client/waiting.ts';
import type { Problem } from './check.ts';
import type { Entry } from './entry.ts';
import { idFor } from './ids.ts';
import type { Kind } from './kind.ts';

/** How often a batch is sent while the server is away or busy. */
const triesMax = 8;
const waitMsFirst = 500;

/** An id of a deleted entity is still taken: then the next id is used, up to so many. */
const generationsMax = 8;

const lookUpsAtOnce = 8;

/** The result of a batch; `isNew` is false for what was there before. */
type Created<Shown> = { shown: Shown; isNew: boolean };

/** The server refused a batch. Nothing of it was created. */
export class BatchError extends Error {
  override readonly name = 'BatchError';
  readonly problems: Problem[];

  constructor(problems: Problem[]) {
    super(problems.map(({ line, reason }) => `line ${line}: ${reason}`).join('\n'));
    this.problems = problems;
  }
}

type Pending<New> = { entry: Entry<New>; generation: number };

/**
 * Creates entries of one parent, all of them or none, and finds those that an earlier run has created.
 *
 * Each has an id before the first request: its own, or one that is made from its name. So a batch can be sent again when
 * the response was lost: existing entities are found by id, name and parent.
 */
export async function createBatch<New, Shown extends { id: string; name: string }>(
  kind: Kind<New, Shown>,
  client: Millrace,
  parentId: string,
  entries: readonly Entry<New>[],
): Promise<Created<Shown>[]> {
  const found = new Map<Entry<New>, Shown>();
  let pending: Pending<New>[] = entries.map((entry) => ({ entry, generation: 0 }));
  while (pending.length > 0) {
    const sent = pending.map((one) => ({ ...one.entry.new, id: idOf(kind, one) }));
    const outcome = await tryCreate(kind, client, parentId, sent);
    if (outcome.kind === 'made') {
      const made = new Map(pending.map(({ entry }, index) => [entry, outcome.made[index]]));
      return entries.map((entry) => {
        const old = found.get(entry);
        const shown = old ?? made.get(entry);
        if (shown === undefined) throw new Error('the server made less than was asked for');
        return { shown, isNew: old === undefined };
      });
    }
    const refused = await lookUp(kind, client, pending, outcome.conflict);
    for (const { entry, shown } of refused.found) found.set(entry, shown);
    pending = refused.pending;
  }
  return entries.flatMap((entry) => {
    const shown = found.get(entry);
    return shown === undefined ? [] : [{ shown, isNew: false }];
  });
}

/** Sends one batch, again while the server is away. The caller handles a conflict. */
async function tryCreate<New, Shown extends { id: string; name: string }>(
  kind: Kind<New, Shown>,
  client: Millrace,
  parentId: string,
  sent: New[],
): Promise<{ kind: 'made'; made: Shown[] } | { kind: 'conflict'; conflict: ApiError }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { kind: 'made', made: await kind.create(client, parentId, sent) };
    } catch (error) {
      if (error instanceof ApiError && error.status === 409)
        return { kind: 'conflict', conflict: error };
      if (attempt >= triesMax || !isPassing(error)) throw error;
      await delay(waitBefore(attempt - 1, waitMsFirst, error));
    }
  }
}

/** Finds the entities of a refused batch that exist already, and those to send again. */
async function lookUp<New, Shown extends { id: string; name: string }>(
  kind: Kind<New, Shown>,
  client: Millrace,
  pending: Pending<New>[],
  conflict: ApiError,
): Promise<{ found: { entry: Entry<New>; shown: Shown }[]; pending: Pending<New>[] }> {
  const byId = await mapSome(pending, (one) => view(kind, client, idOf(kind, one)));
  const found = pending.flatMap(({ entry }, index) => {
    const shown = byId[index];
    return shown !== undefined && isSame(kind, entry, shown) ? [{ entry, shown }] : [];
  });
  const taken = pending.filter((_one, index) => byId[index] !== undefined);
  const left = pending.filter(({ entry }) => !found.some((one) => one.entry === entry));
  if (taken.length > 0) {
    return { found, pending: left.map((one) => (taken.includes(one) ? next(one, conflict) : one)) };
  }
  const byName = await mapSome(left, (one) => findByName(kind, client, one));
  const problems = byName.flatMap((one) => (one.kind === 'problem' ? [one.problem] : []));
  if (problems.length > 0) throw new BatchError(problems);
  const known = left.flatMap(({ entry }, index) => {
    const one = byName[index];
    return one?.kind === 'shown' ? [{ entry, shown: one.shown }] : [];
  });
  const rest = left.filter(({ entry }) => !known.some((one) => one.entry === entry));
  return {
    found: known,
    pending: known.length > 0 ? rest : rest.map((one) => next(one, conflict)),
  };
}

/** The same entry under the id after the one that is taken. */
function next<New>({ entry, generation }: Pending<New>, conflict: ApiError): Pending<New> {
  if (entry.id !== undefined || generation + 1 >= generationsMax) {
    throw new BatchError([{ line: entry.line, reason: conflict.message }]);
  }
  return { entry, generation: generation + 1 };
}

/** Whether the entity with this name was created by an earlier run, with another generation of the id. */
async function findByName<New, Shown extends { id: string; name: string }>(
  kind: Kind<New, Shown>,
  client: Millrace,
  { entry }: Pending<New>,
): Promise<
  { kind: 'shown'; shown: Shown } | { kind: 'problem'; problem: Problem } | { kind: 'free' }
> {
  const groupId = await kind.groupOf(client, entry.parentId);
  const named = await kind.findNamed(client, groupId, entry.name);
  const shown = named.find(({ name }) => name === entry.name);
  if (shown !== undefined) {
    const ours = Array.from({ length: generationsMax }, (_, generation) =>
      idOf(kind, { entry, generation }),
    );
    if (ours.includes(shown.id) && isSame(kind, entry, shown)) return { kind: 'shown', shown };
    const reason = `its name ("${entry.name}") is taken in the group, by ${shown.id}`;
    return { kind: 'problem', problem: { line: entry.line, reason } };
  }
  const other = await kind.findOther(client, entry.new);
  if (other === undefined) return { kind: 'free' };
  return {
    kind: 'problem',
    problem: { line: entry.line, reason: `its ${other.member} is taken by ${other.id}` },
  };
}

function idOf<New>(kind: { what: string }, { entry, generation }: Pending<New>): string {
  return entry.id?.toLowerCase() ?? idFor(kind.what, entry.parentId, entry.name, generation);
}

function isSame<New, Shown extends { id: string; name: string }>(
  kind: Kind<New, Shown>,
  entry: Entry<New>,
  shown: Shown,
): boolean {
  return (
    shown.name === entry.name && kind.parentOf(shown).toLowerCase() === entry.parentId.toLowerCase()
  );
}

/** The entity with this id. If the caller may not read it, the id is taken, and nothing more is known. */
async function view<New, Shown extends { id: string; name: string }>(
  kind: Kind<New, Shown>,
  client: Millrace,
  id: string,
): Promise<Shown | undefined> {
  try {
    return await kind.view(client, id);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 403))
      return undefined;
    throw error;
  }
}

/** Results in the order of the items; a few are processed at once. */
async function mapSome<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: lookUpsAtOnce }, worker));
  return results;
}
