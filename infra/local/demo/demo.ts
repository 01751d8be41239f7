/**
 * `npm run demo`, beside a running `npm start`: registers a site with a month of history, shows what was sent,
 * acknowledged, stored and read back, and goes on with live values until Ctrl-C.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { sleep } from '../../runtime/process/sleep.ts';
import cliProgress from 'cli-progress';
import { Pool } from 'pg';
import { Millrace } from '../../../schemas/client/client.ts';
import { readRun, type Run } from '../installation/run-file.ts';
import { countEqual, missingOf, type SentRecord, send, storedCount } from './history.ts';
import { ensureDashboard } from './dashboard.ts';
import { register, type Registered, registerWebhook } from './register.ts';
import { orgName, thingsAt, webhook } from './site.ts';

const watchMs = 250;
const liveMs = 2_000;
const waitMsMax = 60_000;

type Device = {
  thing: Registered;
  /** Stored before this run. */
  before: number;
  records: SentRecord[];
  acknowledged: number;
  stored: number;
  equal: number;
  ackMs: number[];
};

const say = (line = '') => void process.stdout.write(`${line}\n`);

function total(devices: readonly Device[], count: 'acknowledged' | 'stored' | 'equal'): number {
  return devices.reduce((sum, device) => sum + device[count], 0);
}

/** A bar for each stage of a record's way; a plain line at the end where there is no terminal. */
function createBars(devices: readonly Device[]) {
  const bars = new cliProgress.MultiBar(
    {
      format: '  {stage} {bar} {percentage}%  {value} of {total} records',
      hideCursor: true,
      noTTYOutput: !process.stdout.isTTY,
      notTTYSchedule: 5_000,
    },
    cliProgress.Presets.shades_classic,
  );
  const goal = devices.reduce((sum, { records }) => sum + records.length, 0);
  const stages = [
    ['acknowledged', 'acknowledged'],
    ['stored', 'stored      '],
    ['equal', 'read back   '],
  ] as const;
  const each = stages.map(([count, stage]) => ({ count, bar: bars.create(goal, 0, { stage }) }));
  return {
    update: () => {
      for (const { count, bar } of each) bar.update(total(devices, count));
    },
    stop: () => bars.stop(),
  };
}

/** Sends all that is missing, each thing by itself, and waits until it is stored. */
async function sendHistory(client: Millrace, devices: readonly Device[], show: () => void) {
  await Promise.all(
    devices.map((device) =>
      send(client, device.thing, device.records, (count, ms) => {
        device.acknowledged += count;
        device.ackMs.push(ms);
        show();
      }),
    ),
  );
  const deadline = performance.now() + waitMsMax;
  for (;;) {
    for (const device of devices) {
      // A reader that is away for a moment is no reason to stop.
      const all = await storedCount(client, device.thing.id).catch(
        () => device.before + device.stored,
      );
      device.stored = all - device.before;
    }
    show();
    if (total(devices, 'stored') >= total(devices, 'acknowledged')) return;
    if (performance.now() > deadline) throw new Error('the store has not caught up in time');
    await delay(watchMs);
  }
}

/** Reads everything back, and holds it against what was sent, record by record. */
async function readBack(client: Millrace, devices: readonly Device[], show: () => void) {
  for (const device of devices) {
    device.equal = await countEqual(client, device.thing, device.records);
    show();
  }
}

/** Notes that silent things were last seen at their last record: the demo sends their month within seconds. */
async function fallSilent(
  { databaseUrl }: Run,
  client: Millrace,
  devices: readonly Device[],
): Promise<void> {
  const silent = devices.filter(({ thing }) => thing.silentSeconds !== undefined);
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  try {
    for (const { thing, records } of silent) {
      const last = records.at(-1);
      if (last === undefined) continue;
      const deadline = performance.now() + waitMsMax;
      const path = { id: thing.id };
      while ((await client.call('viewThing', { path })).last_seen === null) {
        if (performance.now() > deadline) throw new Error(`${thing.name} was not heard in time`);
        await delay(watchMs);
      }
      await pool.query('UPDATE things_seen SET seen_at = to_timestamp($2) WHERE thing_id = $1', [
        thing.id,
        last.seconds,
      ]);
    }
  } finally {
    await pool.end();
  }
}

function report(devices: readonly Device[]): void {
  const quantile = (values: readonly number[], share: number) => {
    const sorted = values.toSorted((a, b) => a - b);
    return (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  };
  say();
  say('  thing                records   stored    equal   ack p50   ack p99');
  for (const { thing, acknowledged, stored, equal, ackMs } of devices) {
    const figures = [acknowledged, stored, equal].map((count) => String(count).padStart(7));
    const [p50, p99] = [quantile(ackMs, 0.5), quantile(ackMs, 0.99)];
    say(
      `  ${thing.name.padEnd(20)} ${figures.join('  ')}  ${p50.padStart(5)} ms  ${p99.padStart(5)} ms`,
    );
  }
}

function tellWhere(
  { apiUrl, adminEmail }: Run,
  devices: readonly Device[],
  dashboardId: string,
): void {
  const base = `http://localhost:${new URL(apiUrl).port}`;
  const idOf = (name: string) => devices.find(({ thing }) => thing.name === name)?.thing.id ?? '';
  const series = ['Cold room 1', 'Cold room 2']
    .map((name) => `senml:${idOf(name)}:temperature`)
    .join('|');
  say();
  say(`Look at it in the console, as ${adminEmail}:`);
  const explored = new URLSearchParams({ series, range: '30d' }).toString();
  say(`  ${base}/#/dashboards/${dashboardId}`);
  say(`  ${base}/#/things`);
  say(`  ${base}/#/explore?${explored}`);
  say('Cold room 2 had an outage, Freezer 2 is silent, and a webhook fails.');
}

/** A value of each series that is not silent, again and again, until Ctrl-C. */
async function goOnLive(client: Millrace, devices: readonly Device[]): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stopping.abort());
  }
  say();
  say('Each thing goes on with live values. Ctrl-C ends it.');
  let count = 0;
  const loud = devices.filter(({ thing }) => thing.silentSeconds === undefined);
  while (!stopping.signal.aborted) {
    const seconds = Math.floor(Date.now() / 1_000);
    for (const { thing } of loud) {
      const records = thing.signals.flatMap(({ name, unit, at }): SentRecord[] => {
        const value = at(seconds);
        return value === undefined ? [] : [{ name, unit, seconds, value }];
      });
      await send(client, thing, records, (acknowledged) => {
        count += acknowledged;
      });
    }
    await sleep(liveMs, stopping.signal);
  }
  say(`${count} live records were acknowledged.`);
}

/** Acts as the admin of the platform. Devices send to the edge itself. */
async function login({ apiUrl, ingestUrl, adminEmail, adminPassword }: Run): Promise<Millrace> {
  const options = { url: apiUrl, urls: { http: `${ingestUrl}/http` } };
  const anonymous = new Millrace(options);
  const token = await anonymous.login(adminEmail, adminPassword);
  await anonymous.close();
  return new Millrace({ ...options, token });
}

async function main(): Promise<void> {
  const dataDir = process.env['DATA_DIR'] ?? './data';
  const run = readRun(dataDir);
  if (run === undefined) {
    throw new Error(`nothing runs on ${dataDir}: start Millrace first, with "npm start"`);
  }
  const client = await login(run);
  const now = Math.floor(Date.now() / 1_000);
  const { orgId, things } = await register(client, thingsAt(now));
  const devices: Device[] = [];
  for (const thing of things) {
    const records = await missingOf(client, thing, now);
    const before = await storedCount(client, thing.id);
    devices.push({ thing, before, records, acknowledged: 0, stored: 0, equal: 0, ackMs: [] });
  }
  say(`${orgName}: ${things.length} things, and what they measured in a month:`);
  say();
  const bars = createBars(devices);
  try {
    await sendHistory(client, devices, bars.update);
    await readBack(client, devices, bars.update);
  } finally {
    bars.stop();
  }
  report(devices);
  await fallSilent(run, client, devices);
  const of = devices.find(({ thing }) => thing.name === webhook.of)?.thing.id ?? '';
  await registerWebhook(client, of);
  tellWhere(run, devices, await ensureDashboard(client, orgId, things));
  await goOnLive(client, devices);
  await client.close();
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
