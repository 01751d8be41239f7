/** A Postgres snapshot, which says which transactions it sees: the text of `pg_current_snapshot()` is `xmin:xmax:xip,xip,…`. */
export type Snapshot = {
  readonly text: string;
  readonly xmin: bigint;
  readonly xmax: bigint;
  readonly inProgress: ReadonlySet<bigint>;
};

/** @throws on text that is no snapshot. */
export function parseSnapshot(text: string): Snapshot {
  const match = /^(\d+):(\d+):((?:\d+(?:,\d+)*)?)$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) throw new Error('not a snapshot');
  const inProgress = match[3] === undefined || match[3] === '' ? [] : match[3].split(',');
  return {
    text,
    xmin: BigInt(match[1]),
    xmax: BigInt(match[2]),
    inProgress: new Set(inProgress.map(BigInt)),
  };
}

/** Whether the snapshot sees what transaction `xid` committed (PostgreSQL, "Transaction IDs and Snapshots"). */
export function sees(snapshot: Snapshot, xid: bigint): boolean {
  if (xid < snapshot.xmin) return true;
  return xid < snapshot.xmax && !snapshot.inProgress.has(xid);
}
