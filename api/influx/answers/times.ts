import { offsetAt } from '../model/zone.ts';

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

/** A time as `epoch` asks for it: a number, or RFC 3339 in a zone with no more decimals than it has. */
export function timeText(nanoseconds: bigint, epoch: string, zone?: string): string {
  return epoch === '' ? rfc3339(nanoseconds, zone) : String(nanoseconds / (units[epoch] ?? 1n));
}

const second = 1_000_000_000n;

function rfc3339(nanoseconds: bigint, zone: string | undefined): string {
  const offset = zone === undefined ? 0n : offsetAt(zone, nanoseconds);
  const local = nanoseconds + offset;
  const rest = ((local % second) + second) % second;
  const seconds = Number((local - rest) / second);
  const decimals = String(rest).padStart(9, '0').replace(/0+$/, '');
  const whole = new Date(seconds * 1_000).toISOString().slice(0, -'.000Z'.length);
  return `${whole}${decimals === '' ? '' : `.${decimals}`}${offsetText(offset)}`;
}

/** `Z`, `+01:00`. */
function offsetText(offset: bigint): string {
  if (offset === 0n) return 'Z';
  const minutes = Math.abs(Number(offset / second)) / 60;
  const [hours, rest] = [Math.floor(minutes / 60), Math.floor(minutes % 60)];
  const two = (part: number) => String(part).padStart(2, '0');
  return `${offset < 0n ? '-' : '+'}${two(hours)}:${two(rest)}`;
}
