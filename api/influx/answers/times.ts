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
const decimalsMax = 9;
const [daySeconds, hourSeconds, minuteSeconds] = [86_400, 3_600, 60];
const two = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

/** Rows often share their day with the row before: its text is made once. */
let textDay: number | undefined;
let dayText = '';

function rfc3339(nanoseconds: bigint, zone: string | undefined): string {
  const offset = zone === undefined ? 0n : offsetAt(zone, nanoseconds);
  const local = nanoseconds + offset;
  const truncated = local / second;
  const rest = Number(local - truncated * second);
  const seconds = Number(truncated) - (rest < 0 ? 1 : 0);
  const decimals = decimalsText(rest < 0 ? rest + Number(second) : rest);
  const day = Math.floor(seconds / daySeconds);
  if (day !== textDay) {
    dayText = new Date(day * daySeconds * 1_000).toISOString().slice(0, -'00:00:00.000Z'.length);
    textDay = day;
  }
  const ofDay = seconds - day * daySeconds;
  const hour = two[Math.floor(ofDay / hourSeconds)];
  const minute = two[Math.floor((ofDay % hourSeconds) / minuteSeconds)];
  return `${dayText}${hour}:${minute}:${two[ofDay % minuteSeconds]}${decimals}${offsetText(offset)}`;
}

/** Of nanoseconds within a second: `.25`, none of 0. */
function decimalsText(nanoseconds: number): string {
  if (nanoseconds === 0) return '';
  let [digits, places] = [nanoseconds, decimalsMax];
  for (; digits % 10 === 0; places -= 1) digits /= 10;
  return `.${String(digits).padStart(places, '0')}`;
}

/** `Z`, `+01:00`. */
function offsetText(offset: bigint): string {
  if (offset === 0n) return 'Z';
  const minutes = Math.abs(Number(offset / second)) / 60;
  const [hours, rest] = [Math.floor(minutes / 60), Math.floor(minutes % 60)];
  return `${offset < 0n ? '-' : '+'}${two[hours]}:${two[rest]}`;
}
