import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { giveWay } from '../../../infra/local/supervisor/priority.ts';
import { median } from '../../support/statistics.ts';
import type { System } from '../../support/system.ts';
import type { Report } from './attack-process.ts';
import type { Tally } from './attacker.ts';
import { kindOf, memoryMax, watchMemory } from './memory.ts';
import { createUser, type Neighbour, type Probe, probes } from './neighbour.ts';

const prepareMsMax = 240_000;
const recoverMsMax = 60_000;
const last = { process: 19, session: 19 };

/** Medians, in milliseconds. */
export type Medians = Record<Probe, number>;

/** What became of the neighbour, and of the system, during one attack. */
export type Siege = {
  attack: string;
  quiet: Medians;
  under: Medians;
  ratios: Medians;
  /** What the neighbour was answered wrongly. */
  neighbourWrong: string[];
  /** What the attacker was answered, and what of it must never be. */
  tally: Tally;
  /** How long after the attack's end it took until all of the neighbour's work was done. */
  recoveredMs: number;
  /** Webhooks that have not come. */
  webhooksMissing: number;
  /** KiB. */
  memory: Record<string, number>;
  memoryOver: string[];
  restarted: string[];
};

/** The medians of quiet work. */
export async function quietMedians(neighbour: Neighbour, seconds: number): Promise<Medians> {
  const from = performance.now();
  await delay(seconds * 1_000);
  const to = performance.now();
  await neighbour.caughtUp();
  return mediansOf(neighbour, from, to);
}

function mediansOf(neighbour: Neighbour, from: number, to: number): Medians {
  const samples = neighbour.between(from, to);
  const medians: Partial<Medians> = {};
  for (const probe of probes) medians[probe] = median(samples[probe]);
  return { publish: 0, read: 0, export: 0, orgs: 0, stream: 0, arrival: 0, webhook: 0, ...medians };
}

/** Lets an attack loose for so long, and tells how the neighbour fared. */
export async function besiege(
  system: System,
  neighbour: Neighbour,
  quiet: Medians,
  order: { attack: string; scale: number; seconds: number; webhooksMsMax: number },
): Promise<Siege> {
  const { attack, scale, seconds } = order;
  const { adminEmail: email, adminPassword: password } = await createUser(system);
  const { apiUrl, ingestUrl } = system;
  neighbour.takeWrong();
  const memory = watchMemory(system.dataDir);
  const told = JSON.stringify({ apiUrl, ingestUrl, email, password, attack, scale, seconds });
  const attacker = spawn(process.execPath, [join(import.meta.dirname, 'attack-process.ts'), told], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Linux shares the processors by session first: in that of the neighbour's client, it would wait for the attack.
    detached: true,
  });
  // Real attackers bring their own processors.
  if (attacker.pid !== undefined) giveWay(attacker.pid, last, once(attacker, 'exit'));
  await reportOf(attacker, 'ready');
  const from = performance.now();
  const { tally } = await reportOf(attacker, 'done');
  const to = performance.now();
  await neighbour.caughtUp();
  const webhooksMissing = await neighbour.missingWebhooks(order.webhooksMsMax);
  // What one attack leaves after itself is not the next one's doing.
  await neighbour.recovered(recoverMsMax);
  const recoveredMs = performance.now() - to;
  const { most, restarted } = memory.stop();
  const under = mediansOf(neighbour, from, to);
  const ratios = { ...under };
  for (const probe of probes) ratios[probe] = under[probe] / quiet[probe];
  const memoryOver = Object.entries(most)
    .filter(([name, kibibytes]) => kibibytes > (memoryMax[kindOf(name)] ?? Infinity))
    .map(([name]) => name);
  return {
    attack,
    quiet,
    under,
    ratios,
    neighbourWrong: neighbour.takeWrong(),
    tally,
    recoveredMs,
    webhooksMissing,
    memory: most,
    memoryOver,
    restarted,
  };
}

/** Waits for what the attack tells next. @throws when it ends without a word. */
async function reportOf(attacker: ChildProcess, state: Report['state']): Promise<{ tally: Tally }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ tally: Tally }>();
  const hear = (report: Report) => {
    if (report.state !== state) return;
    resolve({ tally: report.state === 'done' ? report.tally : { statuses: {}, wrong: [] } });
  };
  const end = () => reject(new Error(`the attack ended before it was ${state}`));
  const timer = setTimeout(() => {
    attacker.kill('SIGKILL');
    reject(new Error(`the attack was not ${state} in time`));
  }, prepareMsMax);
  attacker.on('message', hear);
  attacker.on('exit', end);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    attacker.off('message', hear);
    attacker.off('exit', end);
    if (state === 'done' && attacker.exitCode === null) await once(attacker, 'exit');
  }
}

/** A row for each attack: the medians' ratios to quiet ones, and what each side was answered. */
export function tableOf(sieges: Siege[]): string {
  const [first] = sieges;
  if (first === undefined) return '';
  const quiet = probes.map((probe) => `${probe} ${first.quiet[probe].toFixed(1)} ms`).join(', ');
  const rows = sieges.map((siege) => [
    siege.attack,
    ...probes.map((probe) => siege.ratios[probe].toFixed(1)),
    String(siege.neighbourWrong.length),
    String(siege.webhooksMissing),
    (siege.recoveredMs / 1_000).toFixed(1),
    Object.entries(siege.memory)
      .map(([name, kibibytes]) => `${name} ${Math.round(kibibytes / 1_024)}`)
      .join(' '),
    [
      ...Object.entries(siege.tally.statuses).map(([status, count]) => `${status}: ${count}`),
      ...siege.tally.wrong,
      ...siege.restarted.map((name) => `${name} died`),
    ].join(', '),
  ]);
  const head = [
    'attack',
    ...probes,
    'wrong',
    'no webhook',
    'well after s',
    'MiB at most',
    'attacker was answered',
  ];
  const widths = head.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join(' | ')
      .trimEnd();
  return [`quiet medians: ${quiet}; ratios to them:`, line(head), ...rows.map(line)].join('\n');
}
