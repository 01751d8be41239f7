import { setImmediate } from 'node:timers/promises';
import { limits } from '../../limits.ts';

/** The same rows, few at a time: others are served between. */
export async function* inSlices<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += limits.influxRowsAtOnce) {
    if (at > 0) await setImmediate();
    yield rows.slice(at, at + limits.influxRowsAtOnce);
  }
}
