import { heldBytesMax, heldDeliveriesMax } from '../../limits.ts';
import type { Admission, Endpoints } from './endpoints.ts';
import { Semaphore } from './semaphore.ts';

export type { Admission } from './endpoints.ts';

/*
 * What may be worked on now. The answer is always one of three: admitted, deferred until a given time, or stopped.
 * It is asked twice:
 *
 * - for a job, before its bundle is read: is there memory for the bundle, and room for so many deliveries?
 * - for an attempt, when its webhook is known: is there room for its row in Postgres, is its endpoint's circuit
 *   closed, and has its endpoint, its tenant and this process a place left?
 */

/** So long a job is deferred that finds no memory. */
const noMemoryMs = 1_000;

/** What a job asks for: the deliveries in it, and the size of its bundle. */
export type JobSize = { deliveries: number; bytes: number };

/** Where rows of attempts are written to. */
export type AttemptRows = { isFull(): boolean; untilRoom(stopping: AbortSignal): Promise<void> };

export class Admissions {
  readonly #rows: AttemptRows;
  readonly #endpoints: Endpoints;
  readonly #stopping: AbortSignal;
  readonly #held = new Semaphore(heldDeliveriesMax);
  #heldBytes = 0;

  constructor(rows: AttemptRows, endpoints: Endpoints, stopping: AbortSignal) {
    this.#rows = rows;
    this.#endpoints = endpoints;
    this.#stopping = stopping;
  }

  /** Jobs wait here: no others should be taken, since what a killed process had taken comes back late. */
  get isWaitedFor(): boolean {
    return this.#held.isWaitedFor;
  }

  /** The largest job of all is admitted alone. */
  async ofJob({ deliveries, bytes }: JobSize): Promise<Admission> {
    if (this.#heldBytes > 0 && this.#heldBytes + bytes > heldBytesMax) {
      return { kind: 'deferred', untilMs: Date.now() + noMemoryMs };
    }
    this.#heldBytes += bytes;
    await this.#held.enter(deliveries);
    return {
      kind: 'admitted',
      leave: () => {
        this.#held.leave(deliveries);
        this.#heldBytes -= bytes;
      },
    };
  }

  /** An endpoint is a webhook at an origin: a changed URL starts anew. */
  async ofAttempt(webhook: {
    id: string;
    orgId: string;
    origin: string | undefined;
  }): Promise<Admission> {
    if (this.#rows.isFull()) await this.#rows.untilRoom(this.#stopping);
    return this.#endpoints.enter(`${webhook.id} ${webhook.origin}`, webhook.orgId);
  }

  /** No more attempts are admitted. */
  stop(): void {
    this.#endpoints.stop();
  }
}
