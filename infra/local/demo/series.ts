import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A sensor series as it was recorded. */
export type Series = { name: string; unit: string; points: { seconds: number; value: number }[] };

const units: Record<string, string> = {
  TravelTime_387: 's',
  ambient_temperature_system_failure: 'Cel',
  machine_temperature_system_failure: 'Cel',
  occupancy_6005: '%',
  speed_6005: 'km/h',
};

/** The five series of `nab`. */
export function readSeries(): Series[] {
  return Object.entries(units).map(([name, unit]) => {
    const text = readFileSync(join(import.meta.dirname, `nab/${name}.csv`), 'utf8');
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
