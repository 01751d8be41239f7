import { it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { measureLag } from './event-loop-lag.ts';

it('a loop that was held up shows in the lag, until it was asked for', async () => {
  const lag = measureLag();
  await eventually(() => {
    const until = performance.now() + 150;
    while (performance.now() < until);
    return lag().max > 0.09;
  });
  await eventually(() => lag().max < 0.09);
});
