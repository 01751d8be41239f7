import { setImmediate } from 'node:timers/promises';
import { limits } from '../../limits.ts';

/** When work on answers began after others were served. All answers share it, so that many do not add up. */
let begunMs = 0;
let othersServed: Promise<void> | undefined;

async function serveOthers(): Promise<void> {
  await setImmediate();
  begunMs = performance.now();
  othersServed = undefined;
}

/** The same rows, few at a time: others are served between, once all answers have taken a moment. */
export async function* inSlices<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += limits.influxRowsAtOnce) {
    if (at > 0 && performance.now() - begunMs >= limits.influxWorkMsMax)
      await (othersServed ??= serveOthers());
    yield rows.slice(at, at + limits.influxRowsAtOnce);
  }
}
