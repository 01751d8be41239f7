/** An attack in a process of its own, so that its work does not slow the neighbour's client. */
import { setTimeout as delay } from 'node:timers/promises';
import { Attacker, type Tally, type Target } from './attacker.ts';
import { attacks } from './attacks.ts';

/** What it is told to do. */
type Order = Target & { attack: string; scale: number; seconds: number };

/** What it tells. */
export type Report = { state: 'ready' } | { state: 'done'; tally: Tally };

/** How long the wave under way at the end may still take. */
const lastWaveMsMax = 10_000;

const order: Order = JSON.parse(process.argv[2] ?? '');
const nth = attacks.findIndex(({ name }) => name === order.attack);
const attack = attacks[nth];
if (attack === undefined) throw new Error(`no attack is named ${order.attack}`);

async function tell(report: Report): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.send?.(report, () => resolve());
  await promise;
}

// In a session of its own, no signal from a terminal comes here.
process.on('disconnect', () => process.exit());
const attacker = await Attacker.open(order, order.scale, `127.0.1.${nth + 1}`);
const wave = await attack.prepare(attacker);
await tell({ state: 'ready' });
const endsAt = performance.now() + order.seconds * 1_000;
const waves = (async () => {
  while (performance.now() < endsAt) await wave();
})();
await Promise.race([waves, delay(order.seconds * 1_000 + lastWaveMsMax)]);
await tell({ state: 'done', tally: attacker.tally });
// What is still open ends with the process, as a client's does that leaves.
process.exit(0);
