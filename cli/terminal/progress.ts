import type { Terminal } from './output/output.ts';

/** The progress of long work: a bar on standard error, on a terminal only. */
export type Progress = {
  /** So much more is done. */
  add(count: number): void;
  stop(): void;
};

export const noProgress: Progress = { add() {}, stop() {} };

/** Starts a bar. Without a `total` it counts. */
export async function startProgress(
  stderr: Terminal,
  what: string,
  total: number | undefined,
  unit: 'rows' | 'bytes',
): Promise<Progress> {
  if (stderr.isTTY !== true) return noProgress;
  const { default: cliProgress } = await import('cli-progress');
  const known = total !== undefined && total > 0;
  const bar = new cliProgress.SingleBar({
    stream: stderr,
    format: known
      ? `${what} {bar} {percentage}% {value}/{total}, {eta_formatted} left`
      : `${what} {value}`,
    formatValue: (value, _options, type) =>
      type === 'value' || type === 'total' ? formatCount(value, unit) : String(value),
    barsize: 24,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: null,
    clearOnComplete: true,
    etaBuffer: 50,
  });
  bar.start(known ? total : 1, 0);
  let done = 0;
  return {
    add(count) {
      done += count;
      if (!known) bar.setTotal(done + 1);
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
}

/** `1 thing`, `2,000 things`. */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? what : `${what}s`}`;
}

/** A count for people to read. */
export function formatCount(count: number, unit: 'rows' | 'bytes'): string {
  if (unit === 'rows') return count.toLocaleString('en');
  if (count < 100_000) return `${count.toLocaleString('en')} bytes`;
  return `${(count / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
}
