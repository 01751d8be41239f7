import { noThing, type BundledMessage } from '../../../infra/runtime/webhooks/frames.ts';
import type { Call } from '../call/call.ts';
import { signatures } from './signature.ts';
import type { WebhookEndpoint } from './webhook.ts';

/** The request for one delivery. `id` is its `webhook-id`. */
export function requestOf(
  id: string,
  message: BundledMessage,
  { origin, path, headers: ownHeaders, keys }: WebhookEndpoint,
  nowMs: number,
): Call {
  const { payload: body, contentType, protocol, receivedMs, subtopic, thingId } = message;
  const timestamp = String(Math.floor(nowMs / 1_000));
  const validKeys = keys.filter(({ untilMs }) => untilMs > nowMs).map(({ key }) => key);
  const headers = [
    ...ownHeaders,
    'content-type',
    contentType,
    'user-agent',
    'Millrace',
    'webhook-id',
    id,
    'webhook-timestamp',
    timestamp,
    'millrace-received-at',
    new Date(receivedMs).toISOString(),
  ];
  if (thingId !== noThing) headers.push('millrace-thing-id', thingId);
  if (protocol !== undefined) headers.push('millrace-protocol', protocol);
  if (subtopic !== '') headers.push('millrace-subtopic', headerText(subtopic));
  if (validKeys.length > 0) {
    headers.push('webhook-signature', signatures(validKeys, id, timestamp, body));
  }
  return { origin, path, headers, body };
}

/** A subtopic may hold any character; in a header, those outside of ASCII are percent-encoded. */
const headerText = (text: string): string => text.replaceAll(/[^!-$&-~]/gu, encodeURIComponent);
