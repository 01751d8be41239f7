import { call, type Requests, type Thing } from '../client/call.ts';
import { failureOf } from '../client/failure.ts';
import { newId } from './ids.ts';

type NewThing = Requests['createThings']['body'][number];

/** A row whose thing is to be made. */
export type ToMake = { line: number; thing: NewThing & { id: string }; profileId: string };

type Refused = { line: number; why: string };
export type Progress = { made: readonly Thing[]; refused: readonly Refused[] };

const batchRows = 250;

/** `isAgain`: it goes on, and what was asked for last may be made although no answer came. */
type Way = { isAgain: boolean; signal: AbortSignal };

/** Gives each thing its id beforehand: so what was made without an answer is known again. */
export const withIds = (
  rows: readonly { line: number; thing: NewThing; profileId: string }[],
): ToMake[] =>
  rows.map(({ line, thing, profileId }) => ({
    line,
    profileId,
    thing: { ...thing, id: thing.id ?? newId() },
  }));

/**
 * Makes the things, a batch of one profile at a time, and tells after each how far it is. Of a batch that is refused, the
 * halves are tried, so that all others are made.
 *
 * @throws where no answer comes, or the service puts it off: what was told until then is done
 */
export async function createAll(
  rows: readonly ToMake[],
  { isAgain, signal }: Way,
  tell: (progress: Progress) => void,
): Promise<void> {
  let progress: Progress = { made: [], refused: [] };
  const add = ({ made, refused }: Progress) => {
    progress = {
      made: [...progress.made, ...made],
      refused: [...progress.refused, ...refused],
    };
    tell(progress);
  };
  for (const batch of batchesOf(rows)) {
    if (signal.aborted) return;
    await createHalves(batch, { isAgain, signal }, add);
  }
}

function batchesOf(rows: readonly ToMake[]): ToMake[][] {
  const byProfile = new Map<string, ToMake[]>();
  for (const row of rows) {
    const others = byProfile.get(row.profileId);
    if (others === undefined) byProfile.set(row.profileId, [row]);
    else others.push(row);
  }
  return [...byProfile.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / batchRows) }, (_, at) =>
      all.slice(at * batchRows, (at + 1) * batchRows),
    ),
  );
}

async function createHalves(
  batch: readonly ToMake[],
  way: Way,
  add: (progress: Progress) => void,
): Promise<void> {
  const [first] = batch;
  if (first === undefined || way.signal.aborted) return;
  const body = batch.map(({ thing }) => thing);
  try {
    const { things } = await call('createThings', { path: { id: first.profileId }, body });
    return add({ made: things, refused: [] });
  } catch (error) {
    const { status, message } = failureOf(error);
    if (status <= 0 || status === 401 || status === 429 || status >= 500) throw error;
    if (batch.length === 1) {
      const own = way.isAgain ? await madeBefore(first) : undefined;
      const refused = [{ line: first.line, why: message === '' ? String(status) : message }];
      return add(own === undefined ? { made: [], refused } : { made: [own], refused: [] });
    }
  }
  const middle = Math.ceil(batch.length / 2);
  await createHalves(batch.slice(0, middle), way, add);
  await createHalves(batch.slice(middle), way, add);
}

/** The thing, if it was made by a request whose answer was lost: nothing else has its id and its name. */
async function madeBefore({ thing, profileId }: ToMake): Promise<Thing | undefined> {
  const found = await call('viewThing', { path: { id: thing.id } }).catch(() => undefined);
  const isOurs = found?.name === thing.name && found.profile_id === profileId;
  return isOurs ? found : undefined;
}
