import { randomUUID } from 'node:crypto';
import { type NewBundle } from '../../infra/runtime/webhooks/bundles.ts';
import { frameOf } from '../../infra/runtime/webhooks/frames.ts';
import { webhookMessageId } from '../../schemas/internal/webhook-job.ts';

type BundleMessage = {
  thingId: string;
  payload: string | Buffer;
  contentType?: string;
  receivedMs?: number;
  requestId?: string;
};

/** A bundle as an edge would keep it, of a log of its own. */
export function bundleOf(messages: readonly BundleMessage[]): NewBundle {
  const frames = messages.map((message) =>
    frameOf({
      thingId: message.thingId,
      protocol: 'http',
      contentType: message.contentType ?? 'application/senml+json',
      requestId: message.requestId ?? '',
      receivedMs: message.receivedMs ?? Date.now(),
      payload: Buffer.from(message.payload),
    }),
  );
  const offsets = messages.map((_, at) => at * 64);
  return {
    key: { log: randomUUID(), segment: 0, first: 0, last: offsets.at(-1) ?? 0 },
    offsets,
    thingIds: messages.map(({ thingId }) => thingId),
    receivedMs: messages.map(({ receivedMs = Date.now() }) => receivedMs),
    frames: Buffer.concat(frames),
    orgs: [],
  };
}

export const messageIdsOf = ({ key, offsets }: NewBundle): string[] =>
  offsets.map((offset) => webhookMessageId({ ...key, offset }));
