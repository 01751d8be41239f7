import { describe, expect, it } from 'vitest';
import {
  admitsFromMs,
  afterEnd,
  afterStart,
  type AttemptResult,
  type Circuit,
  closedCircuit,
  isAdmitting,
  isProbeNext,
} from './circuit.ts';

const success: AttemptResult = { kind: 'success', askedMs: 0 };
const failure: AttemptResult = { kind: 'failure', askedMs: 0 };
const nowMs = 1_000_000;

const closed = (failures: number, untilMs = 0): Circuit => ({ kind: 'closed', failures, untilMs });
const open = (pauseMs: number, untilMs: number): Circuit => ({ kind: 'open', pauseMs, untilMs });
const halfOpen = (pauseMs: number, untilMs: number): Circuit => ({
  kind: 'halfOpen',
  pauseMs,
  untilMs,
});
const ordinary = (result: AttemptResult | undefined) => ({ result, isProbe: false });
const probe = (result: AttemptResult | undefined) => ({ result, isProbe: true });

describe('a closed circuit', () => {
  it('admits, and stays closed at a start, a success and an attempt without a result', () => {
    expect(isAdmitting(closed(4), nowMs)).toBe(true);
    expect(isProbeNext(closed(4))).toBe(false);
    expect(afterStart(closed(4))).toEqual(closed(4));
    expect(afterEnd(closed(4), ordinary(success), nowMs)).toEqual(closedCircuit);
    expect(afterEnd(closed(4), ordinary(undefined), nowMs)).toEqual(closed(4));
  });

  it('opens at the fifth failure in a row', () => {
    expect(afterEnd(closed(3), ordinary(failure), nowMs)).toEqual(closed(4));
    expect(afterEnd(closed(4), ordinary(failure), nowMs)).toEqual(open(5_000, nowMs + 5_000));
  });

  it.each([
    [10_000, 10_000],
    [1, 1_000],
    [86_400_000, 300_000],
  ])('pauses for the %d ms that a 429 asks for, within bounds', (askedMs, pauseMs) => {
    const paused = afterEnd(closed(0), ordinary({ kind: 'overload', askedMs }), nowMs);
    expect(paused).toEqual(closed(1, nowMs + pauseMs));
    expect(isAdmitting(paused, nowMs + pauseMs - 1)).toBe(false);
    expect(admitsFromMs(paused, nowMs)).toBe(nowMs + pauseMs);
    expect(isAdmitting(paused, nowMs + pauseMs)).toBe(true);
  });

  it('does not pause at other failures, nor where nothing is asked for', () => {
    for (const result of [
      { kind: 'failure', askedMs: 9_000 },
      { kind: 'overload', askedMs: 0 },
    ] as const) {
      expect(afterEnd(closed(0), ordinary(result), nowMs)).toEqual(closed(1));
    }
  });

  it('opens when the probe from before it closed fails', () => {
    expect(afterEnd(closed(0), probe(failure), nowMs)).toEqual(open(5_000, nowMs + 5_000));
  });
});

describe('an open circuit', () => {
  it('admits one attempt when its pause has passed: the probe', () => {
    const circuit = open(5_000, nowMs);
    expect(isAdmitting(circuit, nowMs - 1)).toBe(false);
    expect(admitsFromMs(circuit, nowMs - 1)).toBe(nowMs);
    expect(isAdmitting(circuit, nowMs)).toBe(true);
    expect(isProbeNext(circuit)).toBe(true);
    expect(afterStart(circuit)).toEqual(halfOpen(5_000, nowMs));
  });

  it('closes when an attempt from before it opened succeeds', () => {
    expect(afterEnd(open(5_000, nowMs + 9), ordinary(success), nowMs)).toEqual(closedCircuit);
  });

  it('stays open when such an attempt fails or has no result', () => {
    const circuit = open(5_000, nowMs + 9);
    expect(afterEnd(circuit, ordinary(failure), nowMs)).toEqual(circuit);
    expect(afterEnd(circuit, ordinary(undefined), nowMs)).toEqual(circuit);
    const asked = afterEnd(circuit, ordinary({ kind: 'overload', askedMs: 60_000 }), nowMs);
    expect(asked).toEqual(open(5_000, nowMs + 60_000));
  });
});

describe('a half-open circuit', () => {
  it('admits nothing beside its probe', () => {
    expect(isAdmitting(halfOpen(5_000, nowMs), nowMs + 1)).toBe(false);
    expect(admitsFromMs(halfOpen(5_000, nowMs), nowMs)).toBe(nowMs + 5_000);
    expect(afterStart(halfOpen(5_000, nowMs))).toEqual(halfOpen(5_000, nowMs));
  });

  it('closes when the probe succeeds', () => {
    expect(afterEnd(halfOpen(5_000, nowMs), probe(success), nowMs)).toEqual(closedCircuit);
  });

  it('opens when the probe fails, for twice as long, up to five minutes', () => {
    let circuit: Circuit = closed(4);
    circuit = afterEnd(circuit, ordinary(failure), nowMs);
    const pauses: number[] = [];
    for (let at = 0; at < 8; at++) {
      circuit = afterEnd(afterStart(circuit), probe(failure), nowMs);
      pauses.push(circuit.untilMs - nowMs);
    }
    expect(pauses).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  });

  it('opens for the next probe when this one has no result', () => {
    const circuit = afterEnd(halfOpen(5_000, nowMs), probe(undefined), nowMs);
    expect(circuit).toEqual(open(5_000, nowMs));
    expect(isAdmitting(circuit, nowMs)).toBe(true);
  });

  it('does not care for attempts from before it opened that fail', () => {
    expect(afterEnd(halfOpen(5_000, nowMs), ordinary(failure), nowMs)).toEqual(
      halfOpen(5_000, nowMs),
    );
  });
});
