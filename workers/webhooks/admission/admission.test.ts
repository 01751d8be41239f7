import { describe, expect, it } from 'vitest';
import { heldBytesMax, heldDeliveriesMax } from '../../limits.ts';
import { Admissions, type AttemptRows } from './admission.ts';
import { Endpoints } from './endpoints.ts';

const roomy: AttemptRows = { isFull: () => false, untilRoom: async () => undefined };
const stopping = new AbortController().signal;
const attempt = { id: 'webhook', orgId: 'org', origin: 'https://receiver.example' };

const create = (rows = roomy) => new Admissions(rows, new Endpoints(Date.now), stopping);

describe('a job', () => {
  it('is deferred when there is no memory for its bundle, and the largest is admitted alone', async () => {
    const admissions = create();
    const large = { deliveries: 1, bytes: 2 * heldBytesMax };
    const first = await admissions.ofJob(large);
    expect(first.kind).toBe('admitted');
    expect((await admissions.ofJob({ deliveries: 1, bytes: 1 })).kind).toBe('deferred');
    if (first.kind === 'admitted') first.leave();
    expect((await admissions.ofJob({ deliveries: 1, bytes: 1 })).kind).toBe('admitted');
    expect((await admissions.ofJob(large)).kind).toBe('deferred');
  });

  it('waits while as many deliveries are held as may be', async () => {
    const admissions = create();
    const first = await admissions.ofJob({ deliveries: heldDeliveriesMax, bytes: 1 });
    const second = admissions.ofJob({ deliveries: 1, bytes: 1 });
    expect(admissions.isWaitedFor).toBe(true);
    if (first.kind === 'admitted') first.leave();
    expect((await second).kind).toBe('admitted');
    expect(admissions.isWaitedFor).toBe(false);
  });
});

describe('an attempt', () => {
  it('is admitted when there is room for its row', async () => {
    const room = Promise.withResolvers<void>();
    const admissions = create({ isFull: () => true, untilRoom: () => room.promise });
    const admitting = admissions.ofAttempt(attempt);
    expect(await Promise.race([admitting, Promise.resolve('waiting')])).toBe('waiting');
    room.resolve();
    expect((await admitting).kind).toBe('admitted');
  });

  it('is deferred while the circuit of its endpoint is open; another URL is another endpoint', async () => {
    const admissions = create();
    for (let failures = 0; failures < 5; failures++) {
      const admission = await admissions.ofAttempt(attempt);
      if (admission.kind === 'admitted') admission.leave({ kind: 'failure', askedMs: 0 });
    }
    expect((await admissions.ofAttempt(attempt)).kind).toBe('deferred');
    const moved = { ...attempt, origin: 'https://elsewhere.example' };
    expect((await admissions.ofAttempt(moved)).kind).toBe('admitted');
  });

  it('is stopped after a stop', async () => {
    const admissions = create();
    admissions.stop();
    expect((await admissions.ofAttempt(attempt)).kind).toBe('stopped');
  });
});
