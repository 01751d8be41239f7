/** Int64 nanoseconds hold whole seconds in this range: 1677-09-21 to 2262-04-11. */
export const secondsMin = -9_223_372_036;
export const secondsMax = 9_223_372_035;

export const isWithinTime = (seconds: number): boolean =>
  seconds >= secondsMin && seconds <= secondsMax;

export const outOfTime = 'time is out of range (1677 to 2262)';

/**
 * A time or a span in whole seconds and nanoseconds (0 to 999,999,999), so that a fraction of a second has no
 * rounding error. One object is used again and again.
 */
export class Instant {
  seconds = 0;
  nanos = 0;

  clear(): void {
    this.seconds = 0;
    this.nanos = 0;
  }

  setMilliseconds(milliseconds: number): void {
    const seconds = Math.floor(milliseconds / 1000);
    this.seconds = seconds;
    this.nanos = Math.round((milliseconds - seconds * 1000) * 1e6);
  }

  /**
   * Takes seconds with a fraction, read at the decimal places a double holds at its size:
   * 1276020076.305 is 305,000,000 ns and not 304,999,828.
   */
  setSeconds(value: number): void {
    const seconds = Math.floor(value);
    const fraction = value - seconds;
    this.seconds = seconds;
    this.nanos = 0;
    if (fraction === 0) return;
    const size = Math.abs(value);
    let unitNanos = 1;
    while (size * (1e9 / unitNanos) >= exactMax && unitNanos < 1e9) unitNanos *= 10;
    const nanos = Math.round(fraction * (1e9 / unitNanos)) * unitNanos;
    if (nanos === 1e9) this.seconds = seconds + 1;
    else this.nanos = nanos;
  }

  /**
   * Takes a decimal number as JSON writes it, digit by digit; the last `shift` digits before its point are a fraction
   * of a second. It is rounded to nanoseconds.
   */
  setDecimal(text: string, shift = 0): void {
    const [, sign, whole = '', fraction = '', exponent = '0'] = decimalParts.exec(text) ?? [];
    const digits = whole + fraction;
    // The place in the digits at which the seconds end.
    const end = whole.length + Number(exponent) - shift;
    const after = end >= 0 ? digits.slice(end) : '0'.repeat(Math.min(-end, 10)) + digits;
    const isWhole = end >= digits.length;
    this.seconds = Number(
      isWhole ? `${digits}e${end - digits.length}` : digits.slice(0, Math.max(end, 0)),
    );
    this.nanos = Number(after.slice(0, 9).padEnd(9, '0')) + (Number(after[9] ?? 0) >= 5 ? 1 : 0);
    if (this.nanos === 1e9) {
      this.nanos = 0;
      this.seconds += 1;
    }
    if (sign !== '-') return;
    this.seconds = 0 - this.seconds - (this.nanos > 0 ? 1 : 0);
    if (this.nanos > 0) this.nanos = 1e9 - this.nanos;
  }

  add(other: Instant): void {
    this.seconds += other.seconds;
    this.nanos += other.nanos;
    if (this.nanos >= 1e9) {
      this.nanos -= 1e9;
      this.seconds += 1;
    }
  }
}

const decimalParts = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Below it the error of a double, half its last bit, stays under half of the last decimal place. */
const exactMax = 2 ** 52;
