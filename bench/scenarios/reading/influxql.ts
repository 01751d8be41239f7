import { request } from 'undici';
import { median } from '../../../test/support/statistics.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { hasInfluxd, startInfluxd } from '../../../test/reading/influx/influxd.ts';
import { atMost, type Figure, info } from '../../harness/figures.ts';
import { amount } from '../../harness/load/durations.ts';
import type { Bench, Scenario } from '../../harness/setup.ts';

const [start, day] = [1_700_006_400, 86_400];
const turns = amount(100, 10);
const linesAtOnce = 5_000;

/** Takes a query; gives how long it took, in ms. */
type Asked = { ask: () => Promise<number>; stop: () => Promise<void> };

/** A day of one series by minute, at `/query`; beside it InfluxDB 1, where Debian's package is installed. */
export const influxql: Scenario = async (bench) => {
  const figures: Figure[] = [];
  for (const everySeconds of [60, 1]) {
    const contestants = [await ours(bench, everySeconds)];
    if (hasInfluxd) contestants.push(await influxdb(everySeconds));
    const times = contestants.map((): number[] => []);
    for (let turn = 0; turn < turns; turn++) {
      for (const [at, { ask }] of contestants.entries()) times[at]?.push(await ask());
    }
    for (const { stop } of contestants) await stop();
    const [own = 0, theirs] = times.map((all) => median(all));
    const of = `a day of a series, a point each ${everySeconds} s, by minute`;
    figures.push(info(`${of}, median`, own, 'ms'));
    if (theirs === undefined) continue;
    figures.push(info(`${of}, median of InfluxDB`, theirs, 'ms'));
    figures.push(atMost(`${of}, to InfluxDB`, own / theirs, 'times', 1));
  }
  return figures;
};

/** Line protocol, the same for all: in pieces of many points. */
function pieces(everySeconds: number): string[] {
  const lines = Array.from(
    { length: day / everySeconds },
    (_, at) =>
      `${measurement(everySeconds)} value=${20 + (at % 97) / 10} ${start + at * everySeconds}`,
  );
  return Array.from({ length: Math.ceil(lines.length / linesAtOnce) }, (_, piece) =>
    lines.slice(piece * linesAtOnce, (piece + 1) * linesAtOnce).join('\n'),
  );
}

const measurement = (everySeconds: number) => `every${everySeconds}`;

const statement = (of: string, everySeconds: number) =>
  `SELECT ${of} FROM ${measurement(everySeconds)} WHERE time >= ${start}s AND time < ${start + day}s`;
const byMinute = (everySeconds: number) =>
  `${statement('mean(value)', everySeconds)} GROUP BY time(1m)`;

async function ours({ fleet, system }: Bench, everySeconds: number): Promise<Asked> {
  const { groupId, key } = await fleet.thing();
  const { body: group } = await fleet.call('GET', `/groups/${groupId}`);
  const db = String(Object(group).org_id);
  for (const body of pieces(everySeconds)) {
    await post(`${system.ingestUrl}/write?precision=s`, body, { authorization: `Token ${key}` });
  }
  const path = (q: string) => `/query?${new URLSearchParams({ db, q, epoch: 'ms' }).toString()}`;
  await eventually(async () => {
    const { body } = await fleet.call('GET', path(statement('count(value)', everySeconds)));
    return JSON.stringify(body).includes(`,${day / everySeconds}]`);
  }, 60_000);
  const ask = () => timed(() => fleet.call('GET', path(byMinute(everySeconds))));
  return { ask, stop: async () => undefined };
}

async function influxdb(everySeconds: number): Promise<Asked> {
  const { url, stop } = await startInfluxd();
  await post(`${url}/query?q=${encodeURIComponent('CREATE DATABASE bench')}`, '', {});
  for (const body of pieces(everySeconds))
    await post(`${url}/write?db=bench&precision=s`, body, {});
  const asked = new URLSearchParams({ db: 'bench', q: byMinute(everySeconds), epoch: 'ms' });
  const ask = () =>
    timed(async () => {
      const { body } = await request(`${url}/query?${asked.toString()}`);
      return body.json();
    });
  return { ask, stop };
}

async function post(url: string, body: string, headers: Record<string, string>): Promise<void> {
  const { statusCode, body: answer } = await request(url, { method: 'POST', body, headers });
  const text = await answer.text();
  if (statusCode >= 300) throw new Error(`${url} answered ${statusCode}: ${text}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
