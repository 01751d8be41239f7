/**
 * `npm run demo`, beside a running `npm start`: a small fleet replays real sensor series as if live, and
 * the terminal shows what was sent, acknowledged, stored and read back.
 */
import { setTimeout as delay } from 'node:timers/promises';
import cliProgress from 'cli-progress';
import { readRun } from '../../infra/local/installation/run-file.ts';
import { Fleet, type Thing } from './fleet.ts';
import { readSeries, type Series } from './messages/series.ts';

const pointsPerSeries = 2_000;
const packSize = 10;
const tickMs = 40;
const watchMs = 250;
const waitMsMax = 30_000;

type Device = {
  series: Series;
  thing: Thing;
  sent: number;
  acknowledged: number;
  stored: number;
  readBack: number;
  ackMs: number[];
};

const say = (line = '') => void process.stdout.write(`${line}\n`);

/** The last points of a series, moved in time so that they end now. */
function asIfLive(series: Series): Series {
  const points = series.points.slice(-pointsPerSeries);
  const shift = Math.floor(Date.now() / 1_000) - (points.at(-1)?.seconds ?? 0);
  return {
    ...series,
    points: points.map((point) => ({ ...point, seconds: point.seconds + shift })),
  };
}

async function sendNext(fleet: Fleet, device: Device): Promise<void> {
  const { series, thing } = device;
  const part = series.points.slice(device.sent, device.sent + packSize);
  const pack = part.map(({ seconds, value }, index) => ({
    ...(index === 0 ? { bn: series.name, bu: series.unit } : {}),
    t: seconds,
    v: value,
  }));
  device.sent += part.length;
  const sentAt = performance.now();
  const { status, error } = await fleet.publish(thing.key, pack);
  if (status !== 202) throw new Error(`the edge answered ${status}: ${error}`);
  device.ackMs.push(performance.now() - sentAt);
  device.acknowledged += part.length;
}

function quantile(values: number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1);
}

function total(devices: Device[], count: 'sent' | 'acknowledged' | 'stored' | 'readBack'): number {
  return devices.reduce((sum, device) => sum + device[count], 0);
}

/** A bar for each stage of a record's way; a plain line at the end where there is no terminal. */
function createBars(devices: Device[]) {
  const bars = new cliProgress.MultiBar(
    {
      format: '  {stage} {bar} {percentage}%  {value} of {total} records',
      hideCursor: true,
      noTTYOutput: !process.stdout.isTTY,
      notTTYSchedule: 5_000,
    },
    cliProgress.Presets.shades_classic,
  );
  const goal = devices.reduce((sum, { series }) => sum + series.points.length, 0);
  const stages = [
    ['sent', 'sent        '],
    ['acknowledged', 'acknowledged'],
    ['stored', 'stored      '],
    ['readBack', 'read back   '],
  ] as const;
  const each = stages.map(([count, stage]) => ({ count, bar: bars.create(goal, 0, { stage }) }));
  return {
    update: () => {
      for (const { count, bar } of each) bar.update(total(devices, count));
    },
    stop: () => bars.stop(),
  };
}

async function replay(fleet: Fleet, devices: Device[], show: () => void): Promise<void> {
  let replaying = true;
  async function watch(): Promise<void> {
    while (replaying) {
      for (const device of devices) {
        // A reader that is away for a moment is no reason to stop the replay.
        device.stored = await fleet.stored(device.thing.id).catch(() => device.stored);
      }
      show();
      await delay(watchMs);
    }
  }
  const watching = watch();
  while (devices.some(({ series, sent }) => sent < series.points.length)) {
    await Promise.all([...devices.map((device) => sendNext(fleet, device)), delay(tickMs)]);
    show();
  }
  const deadline = performance.now() + waitMsMax;
  while (total(devices, 'stored') < total(devices, 'acknowledged')) {
    if (performance.now() > deadline) throw new Error('the store has not caught up in time');
    await delay(watchMs);
  }
  replaying = false;
  await watching;
}

/** Reads everything back, and holds it against what was sent, point by point. */
async function readBack(fleet: Fleet, devices: Device[], show: () => void): Promise<void> {
  for (const device of devices) {
    const read = await fleet.readSenml(device.thing.id);
    const key = (time: number, value: number | undefined) => `${time} ${value}`;
    const left = new Set(read.map(({ time, value }) => key(time, value)));
    const found = device.series.points.filter(({ seconds, value }) =>
      left.has(key(seconds, value)),
    );
    device.readBack = found.length;
    show();
  }
}

function report(devices: Device[]): void {
  say();
  say('  series                               records   stored   equal   ack p50   ack p99');
  for (const { series, acknowledged, stored, readBack: equal, ackMs } of devices) {
    const figures = [acknowledged, stored, equal].map((count) => String(count).padStart(7));
    const [p50, p99] = [quantile(ackMs, 0.5), quantile(ackMs, 0.99)];
    say(
      `  ${series.name.padEnd(36)} ${figures.join('  ')}  ${p50.padStart(5)} ms  ${p99.padStart(5)} ms`,
    );
  }
}

async function main(): Promise<void> {
  const dataDir = process.env['DATA_DIR'] ?? './data';
  const run = readRun(dataDir);
  if (run === undefined) {
    throw new Error(`nothing runs on ${dataDir}: start Millrace first, with "npm start"`);
  }
  const fleet = await Fleet.login(run);
  const devices = await Promise.all(
    readSeries().map(async (series): Promise<Device> => {
      const thing = await fleet.thing();
      const live = asIfLive(series);
      return { series: live, thing, sent: 0, acknowledged: 0, stored: 0, readBack: 0, ackMs: [] };
    }),
  );
  say(
    `${devices.length} things registered. Each replays a real sensor series, in packs of ${packSize}:`,
  );
  say();
  const bars = createBars(devices);
  try {
    await replay(fleet, devices, bars.update);
    await readBack(fleet, devices, bars.update);
  } finally {
    bars.stop();
  }
  report(devices);
  say();
  const { port } = new URL(run.apiUrl);
  const url = port === '8080' ? '' : ` --url http://localhost:${port}`;
  say('Look at one of them yourself:');
  say(`  npx millrace login ${run.adminEmail}${url}`);
  say(`  npx millrace messages read --publisher ${devices[0]?.thing.id} --limit 3${url}`);
  await fleet.close();
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
