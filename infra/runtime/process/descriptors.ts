import { readFileSync } from 'node:fs';
import { ConfigError } from './config.ts';

/** Divides the descriptors of a process: some for all that is no connection, the others for connections. */
type DescriptorShare = {
  /** For files, databases, threads and the like. */
  reserved: number;
  /** Descriptors that a connection may need: its own, and one to whom its request is passed on. */
  perConnection: number;
  /** With fewer connections than this a process is of no use. */
  connectionsMin: number;
  /** More are not promised, however many descriptors there are. */
  connectionsMax: number;
};

/** The most sockets and files that this process may have open. Node has raised its limit as far as it may be. */
export function descriptorsMax(): number {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === 'unlimited' ? Infinity : Number(soft);
}

/**
 * The most connections that a process may hold, so that its descriptors are never used up.
 *
 * @throws ConfigError where there are too few.
 */
export function connectionsWithin(descriptors: number, share: DescriptorShare): number {
  const { reserved, perConnection, connectionsMin, connectionsMax } = share;
  const left = Math.floor((descriptors - reserved) / perConnection);
  if (left >= connectionsMin) return Math.min(left, connectionsMax);
  const needed = reserved + perConnection * connectionsMin;
  throw new ConfigError(
    `this process may have ${descriptors} files and sockets open, and needs ${needed} (ulimit -n)`,
  );
}
