/** Nanoseconds in the units that `epoch` may name. As in InfluxDB, any other name means nanoseconds. */
const units: Readonly<Record<string, bigint>> = {
  u: 1_000n,
  us: 1_000n,
  µ: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** A time as `epoch` asks for it: a number, or RFC 3339 with no more decimals than it has. */
export function timeText(nanoseconds: bigint, epoch: string): string {
  return epoch === '' ? rfc3339(nanoseconds) : String(nanoseconds / (units[epoch] ?? 1n));
}

const second = 1_000_000_000n;

function rfc3339(nanoseconds: bigint): string {
  const rest = ((nanoseconds % second) + second) % second;
  const seconds = Number((nanoseconds - rest) / second);
  const decimals = String(rest).padStart(9, '0').replace(/0+$/, '');
  const whole = new Date(seconds * 1_000).toISOString().slice(0, -'.000Z'.length);
  return `${whole}${decimals === '' ? '' : `.${decimals}`}Z`;
}
