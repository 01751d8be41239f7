import type { RateLeft } from '../../schemas/http/rate-limit.ts';
import type { LineBatch } from '../codecs/line/batch.ts';
import type { WebhookMessage } from '../codecs/webhook-frame.ts';
import type { OrgMeter } from '../rates/org-meters.ts';
import type { OnOutcome } from './refusal.ts';

/** A thing that a row is of. */
export type RowThing = {
  readonly publisher: Uint8Array<ArrayBuffer>;
  readonly isStored: boolean;
  readonly hasWebhooks: boolean;
  /** As that of a known thing. */
  readonly ruled: Uint8Array<ArrayBuffer> | undefined;
};

/**
 * A body of line protocol that was read: the log gets a row of each series in it, all in one frame, or of a gateway's
 * devices each in its own. Kept for the next.
 */
export class LineMessages {
  readonly kind = 'lines';
  readonly protocol = 'line';
  publisher = new Uint8Array(0);
  /** Of each row the thing that it is of; undefined: it is left out. Undefined: all are of the publisher. */
  things: readonly (RowThing | undefined)[] | undefined;
  /** Undefined: neither the store nor rules get any of it. */
  batch: LineBatch | undefined;
  /** Whether the store gets all that is of the publisher. */
  isStored = true;
  /** As that of the publisher. */
  ruled: RowThing['ruled'];
  /** When it came, in milliseconds. */
  atMs = 0;
  /** Of each row what webhooks get; none where no webhook of the thing gets any. */
  forWebhooks: readonly WebhookMessage[] = [];
  records = 0;
  /** By it they are counted already. */
  meter: OrgMeter | undefined;
  left: RateLeft | undefined;
  /** Somebody waits for it, and is told what became of it. */
  onOutcome: OnOutcome | undefined;
  /** Why lines are not taken; '' if all were. */
  problems = '';

  /** Whether they must be in the log before they are acknowledged. */
  get isKept(): boolean {
    const { records, batch, forWebhooks } = this;
    return records > 0 && (batch !== undefined || forWebhooks.length > 0);
  }
}
