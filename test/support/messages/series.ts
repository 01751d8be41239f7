import type { Series } from '../../../infra/local/demo/series.ts';

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
