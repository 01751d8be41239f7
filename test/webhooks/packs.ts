import { randomUUID } from 'node:crypto';
import { frameLayout, type NewPack } from '../../infra/webhook-packs.ts';
import { webhookMessageId } from '../../schemas/webhook-job.ts';

const types = ['application/json', 'application/senml+json', 'application/senml+cbor'] as const;

export type PackMessage = {
  thingId: string;
  payload: string | Buffer;
  contentType?: (typeof types)[number];
  receivedMs?: number;
};

/** A pack as an edge would keep it, of a log of its own. */
export function packOf(messages: readonly PackMessage[]): NewPack {
  const frames = messages.map(frameOf);
  const offsets = messages.map((_, at) => at * 64);
  return {
    key: { log: randomUUID(), segment: 0, first: 0, last: offsets.at(-1) ?? 0 },
    offsets,
    thingIds: messages.map(({ thingId }) => thingId),
    receivedMs: messages.map(({ receivedMs = Date.now() }) => receivedMs),
    frames: Buffer.concat(frames),
  };
}

export const messageIdsOf = ({ key, offsets }: NewPack): string[] =>
  offsets.map((offset) => webhookMessageId({ ...key, offset }));

function frameOf({ payload, contentType = 'application/senml+json' }: PackMessage): Buffer {
  const body = Buffer.from(payload);
  const head = Buffer.alloc(frameLayout.payload);
  head.writeUInt32LE(body.length);
  head[frameLayout.type] = types.indexOf(contentType);
  return Buffer.concat([head, body]);
}
