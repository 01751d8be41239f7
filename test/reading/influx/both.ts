import { call } from '../../support/api/http.ts';
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
  const admin = await loginAdmin();
  const { orgId, key } = await createEstate(admin);
  const asked = async (statement: string) => {
    const query = new URLSearchParams({ db: 'd', q: statement });
    const answer = await fetch(`${influxd.url}/query`, { method: 'POST', body: query });
    const headers = Object.fromEntries(answer.headers);
    return { status: answer.status, headers, text: await answer.text() };
  };
  await asked('CREATE DATABASE d');
  for (let at = 0; at < points.length; at += linesAtOnce) {
    const lines = points
      .slice(at, at + linesAtOnce)
      .map(lineOf)
      .join('\n');
    const theirs = await fetch(`${influxd.url}/write?db=d`, { method: 'POST', body: lines });
    if (theirs.status !== 204) throw new Error(await theirs.text());
    const ours = await call('POST', `/write?db=any&p=${key}`, {
      raw: lines,
      headers: { 'content-type': 'text/plain' },
    });
    if (ours.status !== 204) throw new Error(ours.text);
  }
  const values = points.reduce((sum, { fields }) => sum + Object.keys(fields).length, 0);
  await eventually(async () => {
    const counted = await ask(orgId, 'SELECT count(*) FROM /.*/', { as: admin });
    const counts = seriesIn(counted).flatMap(({ values: [row = []] }) => row.slice(1));
    return counts.reduce((sum: number, one) => sum + Number(one), 0) === values;
  }, 120_000);
  return {
    answer: async (statement) => ({
      influxdb: told(await asked(statement)),
      ours: told(await ask(orgId, statement, { as: admin })),
    }),
    stop: influxd.stop,
  };
}

/** The results of an answer as they are compared; of an error only that it is one. */
function told(answer: Parameters<typeof resultsIn>[0]): unknown {
  if (answer.status === 400) return 'an error';
  return resultsIn(answer).map(({ error, series }) =>
    error !== undefined ? 'an error' : (series ?? []).map(withoutOwn).filter(isTold),
  );
}

type Series = ReturnType<typeof seriesIn>[number];

/** Leaves out the tags that the mapping adds, and those that a series does not have: `GROUP BY *` names others of them. */
function withoutOwn({ name, tags, columns, values }: Series): Series {
  const kept = columns.map((column) => !ownTags.has(column));
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

/** Sums in another order differ in their last digits. */
const rounded = (value: unknown) =>
  typeof value === 'number' ? Number(value.toPrecision(10)) : value;
