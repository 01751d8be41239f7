import { latestByScenario } from './figures.js';

/** @import { Run } from './figures.js' */
/** @typedef {{ scenario: string, figure: string, value: number, run: Run }} Measured */
/** @typedef {{ big: string, text: string, of: Measured[] }} Fact What one gets, in words, and the figures that say so. */
/** @typedef {{ name: string, value: number, promise: string }} Contestant */
/** @typedef {{ title: string, unit: string, isLessBetter: boolean, contestants: Contestant[] }} Match */

const compact = new Intl.NumberFormat('en', {
  notation: 'compact',
  compactDisplay: 'long',
  maximumSignificantDigits: 2,
});
const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

const minuteSeconds = 60;
const yearMinutes = 525_600;

/** As one says it: 240,000 or 1.4 million. @param {number} value */
const said = (value) => (value < 1e6 ? plain : compact).format(value);

/** @param {number} ms */
const time = (ms) => (ms < 1_000 ? `${plain.format(ms)} ms` : `${plain.format(ms / 1_000)} s`);

/** @param {number} bytes */
function size(bytes) {
  if (bytes < 1e3) return `${plain.format(bytes)} bytes`;
  return bytes < 1e9 ? `${plain.format(bytes / 1e6)} MB` : `${plain.format(bytes / 1e9)} GB`;
}

/**
 * What one gets, each from the newest run that has the figures; without one of them it is left out.
 *
 * @type {{ needs: [scenario: string, figure: string][], say: (...values: number[]) => { big: string, text: string } }[]}
 */
const facts = [
  {
    needs: [
      ['halfLoad', 'ack p50 at half load'],
      ['halfLoad', 'ack p99 at half load'],
    ],
    say: (half, most) => ({
      big: time(half ?? 0),
      text: `until a message of 10 records is on the disk and the device has its answer, with the machine at half of its full load. 99 of 100 answers come within ${time(most ?? 0)}.`,
    }),
  },
  {
    needs: [
      ['packs', 'S10 acknowledged'],
      ['packs', 'S10 requests'],
    ],
    say: (records, requests) => ({
      big: `${said(records ?? 0)} a second`,
      text: `records are taken, checked and written to the disk, in messages of 10: a fleet of ${said((requests ?? 0) * minuteSeconds)} things that each send 10 values a minute.`,
    }),
  },
  {
    needs: [['sustained', 'sustained stored']],
    say: (stored) => ({
      big: `${said(stored ?? 0)} a second`,
      text: `records go through to the store, in messages of 100, for as long as they come. That is ${said((stored ?? 0) * minuteSeconds)} a minute.`,
    }),
  },
  {
    needs: [
      ['halfLoad', 'readable after, p50'],
      ['halfLoad', 'readable after, p99'],
    ],
    say: (half, most) => ({
      big: time(half ?? 0),
      text: `later, a record can be read too, beside the same load; 99 of 100 within ${time(most ?? 0)}.`,
    }),
  },
  {
    needs: [
      ['reading', 'newest 10 of a thing, with its total'],
      ['reading', 'a month of one series by hour, with its total'],
      ['reading', '300 points of a month of one series, with its total'],
    ],
    say: (newest, hours, points) => ({
      big: time(newest ?? 0),
      text: `for the newest 10 records of one thing, among those of its fleet. A month of a series by the hour takes ${time(hours ?? 0)}, and the 300 points that draw it ${time(points ?? 0)}.`,
    }),
  },
  {
    needs: [['reading', 'bytes per record, seeded fleet']],
    say: (bytes) => ({
      big: size(bytes ?? 0),
      text: `on the disk for each record that is stored. A thing that reports each minute takes ${size((bytes ?? 0) * yearMinutes)} a year, and a thousand of them ${size((bytes ?? 0) * yearMinutes * 1_000)}.`,
    }),
  },
  {
    needs: [
      ['recovery', 'accepting after kill -9 with 1 GiB of log'],
      ['catchingUp', 'acknowledged and not stored'],
    ],
    say: (seconds, lost) => ({
      big: time((seconds ?? 0) * 1_000),
      text: `after its process was killed, with 1 GiB that was not stored yet, messages are taken again. ${lost === 0 ? 'No' : said(lost ?? 0)} record that was acknowledged was missing after an outage of the store.`,
    }),
  },
  {
    needs: [['growthOfThings', 'edge memory by things / 1000000']],
    say: (mebibytes) => ({
      big: size((mebibytes ?? 0) * 1024 ** 2),
      text: 'of memory hold the keys of a million things at the edge, so that none of their messages waits for a database.',
    }),
  },
  {
    needs: [['webhookDeliveries', 'deliveries']],
    say: (deliveries) => ({
      big: `${said(deliveries ?? 0)} a second`,
      text: 'messages are delivered to webhooks, each signed, by one process.',
    }),
  },
];

/** @param {Run[]} runs @returns {Fact[]} */
export function factsOf(runs) {
  const latest = latestByScenario(runs);
  return facts.flatMap(({ needs, say }) => {
    const of = needs.flatMap(([scenario, figure]) => {
      const run = latest.get(scenario);
      const value = run?.results[scenario]?.find(({ name }) => name === figure)?.value;
      if (run === undefined || value === undefined || value === null) return [];
      return [{ scenario, figure, value, run }];
    });
    if (of.length < needs.length) return [];
    return [{ ...say(...of.map(({ value }) => value)), of }];
  });
}

/** The tasks of the peers, in words. More is better, unless it says otherwise. */
const tasks = [
  { task: 'S1 points/s', title: 'Taken, one record in a message', unit: 'records a second' },
  { task: 'S10 points/s', title: 'Taken, 10 records in a message', unit: 'records a second' },
  { task: 'S100 points/s', title: 'Taken, 100 records in a message', unit: 'records a second' },
  { task: 'S1000 points/s', title: 'Taken, 1,000 records in a message', unit: 'records a second' },
  {
    task: 'S10 from 256 connections points/s',
    title: 'Taken, 10 records in a message, from 256 connections at once',
    unit: 'records a second',
  },
  {
    task: 'S10 p99',
    title: '99 of 100 messages of 10 records are answered within',
    unit: 'ms',
    isLessBetter: true,
  },
  {
    task: 'S10 CPU s per million',
    title: 'Work of the processors for a million records, in messages of 10',
    unit: 'seconds',
    isLessBetter: true,
  },
  {
    task: 'bytes per point',
    title: 'Room on the disk for a record',
    unit: 'bytes',
    isLessBetter: true,
  },
  { task: 'CSV export rows/s', title: 'Exported as CSV', unit: 'records a second' },
];

const systems = new Map([
  ['millrace', 'Millrace'],
  ['influxdb', 'InfluxDB'],
  ['victoria-metrics', 'VictoriaMetrics (line protocol)'],
  ['victoria-metrics-json', 'VictoriaMetrics (JSON)'],
  ['timescaledb', 'TimescaleDB (inserts)'],
  ['timescaledb-copy', 'TimescaleDB (COPY)'],
  ['timescaledb-copy-async', 'TimescaleDB (COPY, not synced)'],
]);

/** What each system made of the tasks of the newest run beside its peers. @param {Run[]} runs @returns {Match[]} */
export function matchesOf(runs) {
  const figures = latestByScenario(runs).get('peers')?.results['peers'] ?? [];
  return tasks.flatMap(({ task, title, unit, isLessBetter = false }) => {
    const contestants = figures.flatMap(({ name, value, note: promise = '' }) => {
      if (!name.startsWith(`${task} / `) || value === null) return [];
      const system = name.slice(task.length + 3);
      return [{ name: systems.get(system) ?? system, value, promise }];
    });
    return contestants.length < 2 ? [] : [{ title, unit, isLessBetter, contestants }];
  });
}

/** What the first of them is to each of the others. @param {Match} match */
export function comparedIn({ contestants: [ours, ...others] }) {
  if (ours === undefined) return '';
  const told = others.map(({ name, value }) => `${plain.format(ours.value / value)} times ${name}`);
  return `${ours.name}: ${told.join('; ')}`;
}
