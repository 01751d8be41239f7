import { type Answer, call } from '../../support/api/http.ts';
import { createEstate, loginAdmin } from '../../support/api/people.ts';
import { eventually } from '../../support/eventually.ts';
import { ask, resultsIn, seriesIn } from './ask.ts';
import { startInfluxd } from './influxd.ts';
import { lineOf, type Point } from './points.ts';

/** InfluxDB and the running system, with the same points. */
export type Both = {
  /** Answers of both to a statement, with the tags that only ours has left out. */
  answer: (statement: string) => Promise<{ influxdb: unknown; ours: unknown }>;
  stop: () => Promise<void>;
};

const linesAtOnce = 5_000;
const ownTags = new Set(['thing', 'thing_id', 'group', 'subtopic', 'unit']);

export async function fillBoth(points: readonly Point[]): Promise<Both> {
  const influxd = await startInfluxd();
  try {
    return await filled(influxd, points);
  } catch (error) {
    await influxd.stop();
    throw error;
  }
}

async function filled(
  { url, stop }: Awaited<ReturnType<typeof startInfluxd>>,
  points: readonly Point[],
): Promise<Both> {
  const admin = await loginAdmin();
  const { orgId, key } = await createEstate(admin);
  const asked = async (statement: string) => {
    const query = new URLSearchParams({ db: 'd', q: statement });
    const answer = await fetch(`${url}/query`, { method: 'POST', body: query });
    const headers = Object.fromEntries(answer.headers);
    return { status: answer.status, headers, text: await answer.text() };
  };
  await asked('CREATE DATABASE d');
  for (let at = 0; at < points.length; at += linesAtOnce) {
    const lines = points
      .slice(at, at + linesAtOnce)
      .map(lineOf)
      .join('\n');
    const theirs = await fetch(`${url}/write?db=d`, { method: 'POST', body: lines });
    if (theirs.status !== 204) throw new Error(await theirs.text());
    await writeOurs(key, lines);
  }
  const values = points.reduce((sum, { fields }) => sum + Object.keys(fields).length, 0);
  await eventually(async () => (await countOurs(orgId, admin)) === values, 120_000);
  return {
    answer: async (statement) => ({
      influxdb: told(statement, await asked(statement)),
      ours: told(statement, await ask(orgId, statement, { as: admin })),
    }),
    stop,
  };
}

async function writeOurs(key: string, lines: string): Promise<void> {
  const { status, text } = await call('POST', `/write?db=any&u=any&p=${key}`, {
    raw: lines,
    headers: { 'content-type': 'text/plain' },
  });
  if (status !== 204) throw new Error(text);
}

async function countOurs(orgId: string, as: string): Promise<number> {
  const counted = await ask(orgId, 'SELECT count(*) FROM /.*/', { as });
  const counts = seriesIn(counted).flatMap(({ values: [row = []] }) => row.slice(1));
  return counts.reduce((sum: number, one) => sum + Number(one), 0);
}

/** The results of an answer as they are compared; of an error only that it is one. */
function told(statement: string, answer: Answer): unknown {
  if (answer.status === 400) return 'an error';
  return resultsIn(answer).map(({ error, series }) =>
    error !== undefined
      ? 'an error'
      : (series ?? []).map((one) => withoutOwn(one, statement.includes('SELECT *'))).filter(isTold),
  );
}

type Series = ReturnType<typeof seriesIn>[number];

/**
 * Leaves out the tags that the mapping adds, and those that a series does not have. `*` of InfluxDB names all fields and
 * tags of a measurement, ours those in the range.
 */
function withoutOwn({ name, tags, columns, values }: Series, isOfAll: boolean): Series {
  const isEmpty = (at: number) => values.every((row) => row[at] === null);
  const kept = columns.map((column, at) => !ownTags.has(column) && !(isOfAll && isEmpty(at)));
  const isOfKeys = columns.join() === 'tagKey';
  const left = Object.entries(tags ?? {}).filter(
    ([key, value]) => !ownTags.has(key) && value !== '',
  );
  return {
    ...(name === undefined ? {} : { name }),
    ...(left.length === 0 ? {} : { tags: Object.fromEntries(left) }),
    columns: columns.filter((_column, at) => kept[at]),
    values: values
      .filter(([key]) => !isOfKeys || !ownTags.has(String(key)))
      .map((row) => row.filter((_value, at) => kept[at]).map(rounded)),
  };
}

const isTold = ({ values }: Series) => values.length > 0;

/** InfluxDB's running mean may leave this of one that is 0. These points give no other value that is so small. */
const nearZero = 1e-14;

/** The last digits of numbers that are counted in another order differ. */
const rounded = (value: unknown) => {
  if (typeof value !== 'number') return value;
  return Math.abs(value) < nearZero ? 0 : Number(value.toPrecision(10));
};
