import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'undici';
import type { Stalls } from './stall.ts';

const [url = '', msMax = '', watchedPid = ''] = process.argv.slice(2);
const everyMs = 10;
/** A look that began late says nothing about the other process. */
const ownLateMsMax = 10;
const millisecond = 1e6;

const { origin, pathname: path } = new URL(url);
const client = new Client(origin);
const waited: number[] = [];
let isStopping = false;
process.on('message', () => (isStopping = true));
process.on('disconnect', () => process.exit(1));

/** How long these two have waited for a processor that others had: no stall of theirs. */
function queuedMs(): number {
  return [watchedPid, String(process.pid)].reduce((sum, pid) => {
    const [, queued = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return sum + Number(queued) / millisecond;
  }, 0);
}

const tell = (stalls: Stalls) => process.send?.(stalls);

tell({ asked: 0, worstMs: 0, medianMs: 0, over: 0 });
while (!isStopping) {
  const dueAt = performance.now() + everyMs;
  await delay(everyMs);
  const startedAt = performance.now();
  const queuedBefore = queuedMs();
  const { body } = await client.request({ path, method: 'GET' });
  await body.dump();
  const endedAt = performance.now();
  const queued = queuedMs() - queuedBefore;
  if (startedAt - dueAt <= ownLateMsMax) waited.push(endedAt - startedAt - queued);
}
const sorted = waited.toSorted((a, b) => a - b);
tell({
  asked: sorted.length,
  worstMs: Math.round(sorted.at(-1) ?? 0),
  medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
  over: sorted.filter((ms) => ms > Number(msMax)).length,
});
await client.close();
