import { nanosPerSecond } from './columns';

/** Larger times are read the plain way, which refuses nearly all of them. */
const secondsMax: f64 = 10_000_000_000;
/** Below it the error of a double, half its last bit, stays under half of the last decimal place. */
const exactMax: f64 = 4_503_599_627_370_496;
const nanosMax: f64 = 1_000_000_000;

// The time split last.
export let seconds: i64 = 0;
export let nanos: i64 = 0;

/** Splits seconds with a fraction as `Instant.setSeconds` does. False: give up. */
export function split(time: f64): bool {
  const size = abs<f64>(time);
  if (size > secondsMax) return false;
  const whole = floor<f64>(time);
  const fraction = time - whole;
  seconds = <i64>whole;
  nanos = 0;
  if (fraction == 0) return true;
  let unitNanos: f64 = 1;
  while (size * (nanosMax / unitNanos) >= exactMax && unitNanos < nanosMax) unitNanos *= 10;
  nanos = <i64>(rounded(fraction * (nanosMax / unitNanos)) * unitNanos);
  if (nanos == nanosPerSecond) {
    nanos = 0;
    seconds += 1;
  }
  return true;
}

/** As Math.round does. */
function rounded(value: f64): f64 {
  const whole = floor<f64>(value);
  return value - whole >= 0.5 ? whole + 1 : whole;
}
