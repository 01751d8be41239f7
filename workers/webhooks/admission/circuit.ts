/*
 * The circuit breaker of one endpoint:
 *
 *   closed ── 5 failures in a row ──▶ open ── its pause has passed, an attempt starts ──▶ half-open
 *     ▲                                ▲ │                                                  │  │
 *     └────────── a success ───────────┼─┴──────────────────────────────────────────────────┘  │
 *                                      └── the attempt fails (the pause doubles), or has no result ──┘
 *
 * Open: no attempts. Half-open: one attempt, the probe, is under way. Attempts that began before the circuit
 * opened may still end later; their failures don't count once more. A closed circuit admits nothing while a receiver
 * that answered 429 wants to be left alone.
 */

const failuresMax = 5;
const pauseMsMin = 5_000;
const pauseMsMax = 5 * 60_000;
/** The bounds of the pause that a receiver may ask for. */
const askedMsMin = 1_000;
const askedMsMax = 5 * 60_000;

export type Circuit =
  | { kind: 'closed'; failures: number; untilMs: number }
  | { kind: 'open' | 'halfOpen'; pauseMs: number; untilMs: number };

/** How an attempt ended. `askedMs`: how long the receiver wants to be left alone. */
export type AttemptResult = { kind: 'success' | 'failure' | 'overload'; askedMs: number };

export const closedCircuit: Circuit = { kind: 'closed', failures: 0, untilMs: 0 };

/** Whether an attempt may start. */
export const isAdmitting = ({ kind, untilMs }: Circuit, nowMs: number): boolean =>
  kind !== 'halfOpen' && untilMs <= nowMs;

/** When an attempt may start that is not admitted now, as far as is known. */
export const admitsFromMs = (circuit: Circuit, nowMs: number): number =>
  circuit.kind === 'halfOpen'
    ? Math.max(circuit.untilMs, nowMs + circuit.pauseMs)
    : circuit.untilMs;

/** The first attempt after the pause is the probe. */
export const isProbeNext = ({ kind }: Circuit): boolean => kind === 'open';

export function afterStart(circuit: Circuit): Circuit {
  return circuit.kind === 'open' ? { ...circuit, kind: 'halfOpen' } : circuit;
}

/** `result` is undefined for an attempt that was never made or was broken off. */
export function afterEnd(
  circuit: Circuit,
  { result, isProbe }: { result: AttemptResult | undefined; isProbe: boolean },
  nowMs: number,
): Circuit {
  if (result === undefined) {
    return isProbe && circuit.kind === 'halfOpen' ? { ...circuit, kind: 'open' } : circuit;
  }
  if (result.kind === 'success') return closedCircuit;
  const pauseMs = askedPauseMs(result);
  const untilMs = pauseMs === 0 ? circuit.untilMs : Math.max(circuit.untilMs, nowMs + pauseMs);
  const failures = circuit.kind === 'closed' ? circuit.failures + 1 : 0;
  if (isProbe || failures >= failuresMax) return opened(circuit, untilMs, nowMs);
  return circuit.kind === 'closed'
    ? { kind: 'closed', failures, untilMs }
    : { ...circuit, untilMs };
}

function opened(circuit: Circuit, untilMs: number, nowMs: number): Circuit {
  const before = circuit.kind === 'closed' ? 0 : circuit.pauseMs;
  const pauseMs = Math.min(Math.max(2 * before, pauseMsMin), pauseMsMax);
  return { kind: 'open', pauseMs, untilMs: Math.max(untilMs, nowMs + pauseMs) };
}

/** Only a receiver that is overloaded gets its pause at once. */
function askedPauseMs({ kind, askedMs }: AttemptResult): number {
  if (kind !== 'overload' || askedMs <= 0) return 0;
  return Math.min(Math.max(askedMs, askedMsMin), askedMsMax);
}
