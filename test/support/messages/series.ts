import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A real sensor series of the fixture. */
type Series = { name: string; unit: string; points: { seconds: number; value: number }[] };

const units: Record<string, string> = {
  TravelTime_387: 's',
  ambient_temperature_system_failure: 'Cel',
  machine_temperature_system_failure: 'Cel',
  occupancy_6005: '%',
  speed_6005: 'km/h',
};

/** The five series of `../fixtures/nab`. */
export function readSeries(): Series[] {
  return Object.entries(units).map(([name, unit]) => {
    const text = readFileSync(join(import.meta.dirname, `../fixtures/nab/${name}.csv`), 'utf8');
    const points = text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => {
        const [timestamp = '', value = ''] = line.split(',');
        const seconds = Date.parse(`${timestamp.replace(' ', 'T')}Z`) / 1_000;
        return { seconds, value: Number(value) };
      });
    return { name, unit, points };
  });
}

/** The series as SenML packs of up to `size` records, the first of each with the base fields. */
export function packs(series: Series, size: number): object[][] {
  const all: object[][] = [];
  for (let at = 0; at < series.points.length; at += size) {
    const part = series.points.slice(at, at + size);
    const baseSeconds = part[0]?.seconds ?? 0;
    all.push(
      part.map(({ seconds, value }, index) => ({
        ...(index === 0 ? { bn: `urn:nab:${series.name}`, bu: series.unit, bt: baseSeconds } : {}),
        ...(seconds === baseSeconds ? {} : { t: seconds - baseSeconds }),
        v: value,
      })),
    );
  }
  return all;
}
