/*
 * Silence counts only while the platform can hear. A span is a time in which it could, by the clocks of edges, in
 * microseconds since 1970. Spans do not overlap, and are in the order of their times.
 */
export type Span = { fromUs: number; toUs: number };

/** The word of edges (`edges_hearing`) makes the last span longer, begins another one, or neither. */
type Heard = { kind: 'longer'; toUs: number } | { kind: 'begins'; span: Span } | { kind: 'same' };

/**
 * The spans go on as long as any edge heard without a break. They end with what the slowest of the edges is known to have
 * heard. After a break things get `graceUs` to come back: what they do not say meanwhile is no silence.
 */
export function heardBy(edges: readonly Span[], last: Span | undefined, graceUs: number): Heard {
  if (edges.length === 0) return { kind: 'same' };
  const toUs = Math.min(...edges.map((edge) => edge.toUs));
  if (last !== undefined && edges.some(({ fromUs }) => fromUs <= last.toUs)) {
    return toUs > last.toUs ? { kind: 'longer', toUs } : { kind: 'same' };
  }
  const fromUs = Math.min(...edges.map((edge) => edge.fromUs)) + graceUs;
  return fromUs <= toUs ? { kind: 'begins', span: { fromUs, toUs } } : { kind: 'same' };
}

/** A thing that was last heard before that time is silent for as long; undefined: none can be. */
export function silentBefore(spans: readonly Span[], forUs: number): number | undefined {
  let leftUs = forUs;
  for (const { fromUs, toUs } of spans.toReversed()) {
    if (toUs - fromUs >= leftUs) return toUs - leftUs;
    leftUs -= toUs - fromUs;
  }
  return undefined;
}

/** When a thing that was last heard then had been silent for as long: in the future, if nothing interrupts. */
export function silentAt(spans: readonly Span[], heardUs: number, forUs: number): number {
  let leftUs = forUs;
  let atUs = heardUs;
  for (const { fromUs, toUs } of spans) {
    if (toUs <= heardUs) continue;
    const sinceUs = Math.max(fromUs, heardUs);
    if (toUs - sinceUs >= leftUs) return sinceUs + leftUs;
    leftUs -= toUs - sinceUs;
    atUs = toUs;
  }
  return atUs + leftUs;
}
