import { useEffect, useState } from 'preact/hooks';
import { ownTimeZone } from '../time-zone.ts';
import { partsTexts } from '../texts/parts.ts';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const timeZone = ownTimeZone;
const zoned = new Intl.DateTimeFormat('en', {
  ...toTheSecond(),
  timeZone,
  timeZoneName: 'short',
});

/** Writes times to the second, in a zone; without one in that which one chose. */
export function exactIn(zone: string = timeZone): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en', { ...toTheSecond(), timeZone: zone });
}

function toTheSecond() {
  return {
    year: 'numeric',
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  } as const;
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

const tickMs = 10_000;
/** A time that is later than now by the clocks counts as now. */
const clockMs = 60_000;

/** How long ago, or in how long: `3 min. ago`. */
function relativeTime(time: number, now: number): string {
  const seconds = Math.round((time - now) / 1_000);
  const [unit, size] = units.find(([, one]) => Math.abs(seconds) >= one) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** A time of the API, as how long ago or in how long, with the exact one on hover. `null` is never. */
export function Ago({ time }: { time: string | null | undefined }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [time]);
  if (time === null || time === undefined) return <span class="muted">{partsTexts.never}</span>;
  const at = Date.parse(time);
  return (
    <time dateTime={time} title={zoned.format(at)}>
      {relativeTime(at, at < now + clockMs ? Math.max(now, at) : now)}
    </time>
  );
}

const today = new Intl.DateTimeFormat('en', {
  timeZone,
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const otherDay = new Intl.DateTimeFormat('en', {
  timeZone,
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const otherYear = new Intl.DateTimeFormat('en', {
  timeZone,
  year: 'numeric',
  month: 'short',
  day: 'numeric',
});

const days = new Intl.DateTimeFormat('sv', { timeZone });
/** `2026-11-27`. */
const dayOf = (at: Date) => days.format(at);

/** A time as short as tells it from others: of today `14:05`, else with its day. The exact one shows on hover. */
export function ShortAt({ time }: { time: string }) {
  const at = new Date(time);
  const [day, now] = [dayOf(at), dayOf(new Date())];
  const isThisYear = day.slice(0, 4) === now.slice(0, 4);
  const isToday = day === now;
  const format = isToday ? today : isThisYear ? otherDay : otherYear;
  return (
    <time dateTime={time} title={zoned.format(at)}>
      {format.format(at)}
    </time>
  );
}

/** How long it takes from a time to another, or to now: the two largest units, `3 h 20 min`. */
export function Lasting({ from, to }: { from: string; to: string | undefined }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    if (to !== undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [from, to]);
  const end = to === undefined ? now : Date.parse(to);
  return <>{partsTexts.lasting(Math.max(0, (end - Date.parse(from)) / 1_000))}</>;
}

/** A time, exactly, in the zone that one chose, which it names. */
export function At({ time }: { time: string }) {
  return <time dateTime={time}>{zoned.format(Date.parse(time))}</time>;
}
