import type { Protocol } from '../../schemas/messages/protocols.ts';
import type { RateLeft } from '../../schemas/http/rate-limit.ts';
import type { OrgMeter } from '../rates/org-meters.ts';
import type { OnOutcome } from './refusal.ts';
import type { ColumnBatch, Envelope } from '../codecs/row-binary.ts';
import type { AlarmHead } from '../codecs/alarm-head.ts';
import type { WebhookMessage } from '../codecs/webhook-frame.ts';

/** A message that was read, or several of one thing, which go into the log together. Kept for those that follow. */
export class ReadMessages implements Envelope {
  readonly kind = 'read';
  publisher = new Uint8Array(0);
  /** A gateway sent it: the next message of the same sender may be of another thing. */
  isOfDevice = false;
  protocol: Protocol = 'http';
  subtopic = '';
  /** Their records, as the store gets them; undefined: their profile says not to store. */
  batch: ColumnBatch | undefined;
  /** Undefined: no webhook of the thing gets any. */
  forWebhooks: WebhookMessage | undefined;
  /** Their records, which rules are held against; undefined: no rule is about the thing. */
  forAlarms: (AlarmHead & { batch: ColumnBatch }) | undefined;
  messages = 1;
  records = 0;
  /** By it they are counted already. */
  meter: OrgMeter | undefined;
  /** Of the rate that they count for. */
  left: RateLeft | undefined;
  /** Somebody waits for it, and is told what became of it. */
  onOutcome: OnOutcome | undefined;

  /** Whether they must be in the log before they are acknowledged. */
  get isKept(): boolean {
    const { batch, forWebhooks, forAlarms } = this;
    return batch !== undefined || forWebhooks !== undefined || forAlarms !== undefined;
  }
}
