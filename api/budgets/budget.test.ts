import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../schemas/http/errors.ts';
import { Budget, type BudgetLimits, type Lease, type Spender } from './budget.ts';

const limits: BudgetLimits = {
  max: 4,
  perOrgMax: 3,
  perCallerMax: 2,
  strangersMax: 1,
  waitingMax: 8,
  waitingPerCallerMax: 3,
  waitMsMax: 60_000,
};
const stays = new AbortController().signal;

const user = (caller: string, org?: string): Spender => ({ caller, org, stranger: false });
const stranger = (network: string): Spender => ({
  caller: network,
  org: undefined,
  stranger: true,
});

function refusalOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  return undefined;
}

const codeOf = (taking: Promise<Lease>): Promise<string | undefined> =>
  taking.then(
    () => undefined,
    (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
  );

describe('a budget', () => {
  it('refuses a caller more than its share, with an error that names the caller as the cause', () => {
    const budget = new Budget('exports', limits);
    budget.take(user('a'));
    budget.take(user('a'));
    expect(refusalOf(() => budget.take(user('a')))).toBe('too_many');
    expect(refusalOf(() => budget.take(user('b')))).toBeUndefined();
  });

  it('refuses an org more than its share, for any caller of it', () => {
    const budget = new Budget('exports', limits);
    for (const caller of ['a', 'b', 'c']) budget.take(user(caller, 'mill'));
    expect(refusalOf(() => budget.take(user('d', 'mill')))).toBe('too_many');
    expect(refusalOf(() => budget.take(user('d', 'forge')))).toBeUndefined();
  });

  it('refuses everyone once nothing is left, with another error', () => {
    const budget = new Budget('exports', limits);
    for (const caller of ['a', 'b', 'c', 'd']) budget.take(user(caller));
    expect(refusalOf(() => budget.take(user('e')))).toBe('unavailable');
  });

  it('keeps a reserve that strangers cannot use', () => {
    const budget = new Budget('exports', limits);
    budget.take(stranger('192.0.2.1'));
    expect(refusalOf(() => budget.take(stranger('192.0.2.2')))).toBe('unavailable');
    for (const caller of ['a', 'b', 'c']) budget.take(user(caller));
  });

  it('takes back each lease once', () => {
    const budget = new Budget('exports', limits);
    const lease = budget.take(user('a'), 2);
    lease.release();
    lease.release();
    expect(budget.stats().held).toBe(0);
    budget.take(user('a'), 2);
  });

  it('refuses at once what is larger than any share', async () => {
    const budget = new Budget('bytes', limits);
    expect(await codeOf(budget.wait(user('a'), stays, 3))).toBe('too_many');
  });

  it('admits first the caller whose org holds least, so that frequent callers wait for themselves', async () => {
    const budget = new Budget('exports', { ...limits, max: 2 });
    const first = budget.take(user('a', 'mill'));
    budget.take(user('b', 'mill'));
    const order: string[] = [];
    const ask = (name: string, spender: Spender) =>
      budget.wait(spender, stays).then((lease) => {
        order.push(name);
        return lease;
      });
    const waiting = [
      ask('mill again', user('a', 'mill')),
      ask('mill once more', user('c', 'mill')),
      ask('forge', user('d', 'forge')),
    ];
    first.release();
    (await Promise.race(waiting)).release();
    (await waiting[0])?.release();
    await waiting[1];
    expect(order).toEqual(['forge', 'mill again', 'mill once more']);
  });

  it('admits callers that hold the same in turn, the longest waiting first (property)', async () => {
    const one = { ...limits, max: 1, perOrgMax: 1, perCallerMax: 1 };
    const parties = fc.array(fc.constantFrom('mill', 'forge', 'yard', undefined), {
      maxLength: 24,
    });
    await fc.assert(
      fc.asyncProperty(parties, async (orgs) => {
        const budget = new Budget('exports', { ...one, waitingMax: 24, waitingPerCallerMax: 24 });
        let held = budget.take(user('first'));
        const waiting = orgs.map((org, i) => ({ i, party: org ?? 'alone', org }));
        const order: number[] = [];
        for (const { i, party, org } of waiting) {
          const asked = async () => {
            const lease = await budget.wait(user(party, org), stays);
            order.push(i);
            held = lease;
          };
          void asked();
        }
        const expected: number[] = [];
        const lastTurns = new Map<string, number>();
        while (waiting.length > 0) {
          const turnOf = ({ party }: { party: string }) => lastTurns.get(party) ?? -1;
          const [next] = waiting.toSorted((a, b) => turnOf(a) - turnOf(b) || a.i - b.i);
          if (next === undefined) break;
          waiting.splice(waiting.indexOf(next), 1);
          lastTurns.set(next.party, expected.length);
          expected.push(next.i);
          held.release();
          await new Promise(setImmediate);
        }
        expect(order).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it('limits how many requests of one caller wait, and of all', async () => {
    const budget = new Budget('exports', { ...limits, waitingMax: 4 });
    for (const caller of ['a', 'b', 'c', 'd']) budget.take(user(caller));
    for (let i = 0; i < 3; i++) void budget.wait(user('a'), stays).catch(() => undefined);
    expect(await codeOf(budget.wait(user('a'), stays))).toBe('too_many');
    void budget.wait(user('b'), stays).catch(() => undefined);
    expect(await codeOf(budget.wait(user('e'), stays))).toBe('unavailable');
  });

  it('drops requests that waited too long, and those that were closed', async () => {
    const budget = new Budget('exports', { ...limits, waitMsMax: 10 });
    for (const caller of ['a', 'b', 'c', 'd']) budget.take(user(caller));
    const leaving = new AbortController();
    const left = codeOf(budget.wait(user('f'), leaving.signal));
    const late = codeOf(budget.wait(user('e'), stays));
    leaving.abort(new Error('left'));
    expect(await left).toBe('Error: left');
    expect(await late).toBe('unavailable');
    expect(budget.stats()).toMatchObject({ waiting: 0, held: 4 });
  });

  it('never exceeds a limit, and forgets no waiting request (property)', async () => {
    const step = fc.record({
      caller: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      org: fc.constantFrom('mill', 'forge', undefined),
      isStranger: fc.boolean(),
      release: fc.nat(10),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const budget = new Budget('exports', limits);
        const held: { spender: Spender; lease: Lease }[] = [];
        const asked: Promise<unknown>[] = [];
        let answered = 0;
        for (const { caller, org, isStranger, release } of steps) {
          const spender = isStranger ? stranger(caller) : user(`${caller} of ${org}`, org);
          asked.push(
            budget
              .wait(spender, stays)
              .then((lease) => held.push({ spender, lease }))
              .catch(() => undefined)
              .finally(() => (answered += 1)),
          );
          await Promise.resolve();
          await new Promise(setImmediate);
          expect(held.length).toBe(budget.stats().held);
          expect(held.length).toBeLessThanOrEqual(limits.max);
          const of = (test: (one: Spender) => boolean) =>
            held.filter((one) => test(one.spender)).length;
          expect(of((one) => one.stranger)).toBeLessThanOrEqual(limits.strangersMax);
          expect(of((one) => one.caller === spender.caller)).toBeLessThanOrEqual(2);
          expect(of((one) => one.org === 'mill')).toBeLessThanOrEqual(limits.perOrgMax);
          if (release < held.length) held.splice(release, 1)[0]?.lease.release();
        }
        while (answered < asked.length || held.length > 0) {
          held.splice(0).forEach(({ lease }) => lease.release());
          await new Promise(setImmediate);
        }
        expect(budget.stats()).toMatchObject({ held: 0, waiting: 0 });
      }),
      { numRuns: 200 },
    );
  });
});
