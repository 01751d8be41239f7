import { readBundles } from '../../../infra/runtime/webhooks/bundles.ts';
import { noThing } from '../../../infra/runtime/webhooks/frames.ts';
import { placeOfMessage } from '../../../schemas/internal/webhook-job.ts';
import type { WebhookDelivery, WebhookMessage } from '../../../schemas/resources/webhook.ts';
import { limits } from '../../limits.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database } from '../../stores/database.ts';
import { findKeptMessages, isOfWebhook, type Of } from './deliveries-sql.ts';

type Source = Pick<WebhookDelivery, 'thing_id' | 'thing_name' | 'received_at'>;

type SourceRow = { id: string; thingId: string; thingName: string | null; receivedMs: string };

/**
 * Which thing sent each of these messages, and when, as far as they are kept. Uses the primary keys of bundles and things.
 * After a power cut a message may stand in two bundles, which say the same.
 */
export async function findSources(
  db: Database,
  webhook: Of,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Source>> {
  const conditions = new Conditions();
  const places = [...new Set(ids)].flatMap((id) => {
    const place = placeOfMessage(id);
    return place === undefined ? [] : [{ id, ...place }];
  });
  const given = [
    places.map(({ id }) => id),
    places.map(({ log }) => log),
    places.map(({ segment }) => segment),
    places.map(({ offset }) => offset),
  ].map((column) => conditions.bind(column));
  const [idColumn = '', logs = '', segments = '', offsets = ''] = given;
  const rows = await db.rows<SourceRow>(
    `SELECT place.id, bundle.thing_ids[bundle.nth] AS "thingId",
            bundle.received_ms[bundle.nth] AS "receivedMs", things.name AS "thingName"
     FROM unnest(${idColumn}::text[], ${logs}::text[], ${segments}::integer[], ${offsets}::integer[])
       AS place (id, log_id, segment, at)
     CROSS JOIN LATERAL (
       SELECT thing_ids, received_ms, array_position(offsets, place.at) AS nth FROM webhook_bundles
       WHERE log_id = place.log_id AND segment = place.segment
         AND first_offset <= place.at AND last_offset >= place.at
       ORDER BY first_offset DESC
       LIMIT 1
     ) AS bundle
     LEFT JOIN things ON things.id = bundle.thing_ids[bundle.nth]
       AND ${isOfWebhook('things.id', webhook, (value) => conditions.bind(value))}`,
    conditions.values,
  );
  return new Map(rows.map((row) => [row.id, sourceOf(row)]));
}

function sourceOf({ thingId, thingName, receivedMs }: SourceRow): Source {
  return {
    ...(thingId === noThing ? {} : { thing_id: thingId }),
    ...(thingName === null ? {} : { thing_name: thingName }),
    received_at: new Date(Number(receivedMs)).toISOString(),
  };
}

/** A message as the webhook gets it; undefined for one that is not kept, or not the webhook's to have. */
export async function readMessage(
  db: Database,
  webhook: Of,
  messageId: string,
): Promise<WebhookMessage | undefined> {
  const [kept] = await findKeptMessages(db, webhook, { kind: 'message', messageId }, 1);
  if (kept === undefined) return undefined;
  const [bundle] = await readBundles((text, values) => db.rows(text, values), [kept.bundle]);
  const message = bundle?.get(kept.offset);
  if (message === undefined) return undefined;
  const { contentType, subtopic, payload } = message;
  const shown = payload.subarray(0, limits.shownMessageBytesMax);
  const isText = !contentType.endsWith('cbor');
  return {
    message_id: messageId,
    content_type: contentType,
    ...(subtopic === '' ? {} : { subtopic }),
    bytes: payload.length,
    encoding: isText ? 'text' : 'base64',
    body: shown.toString(isText ? 'utf8' : 'base64'),
  };
}
