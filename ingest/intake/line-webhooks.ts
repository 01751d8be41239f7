import type { LineBatch } from '../codecs/line/batch.ts';
import { senmlOfRow, subtopicOfRow } from '../codecs/line/senml-text.ts';
import type { WebhookMessage } from '../codecs/webhook-frame.ts';
import type { LineMessages } from './line-messages.ts';

/** The messages for webhooks of a body of lines: one for each row whose thing has some. */
export function webhookMessages(
  batch: LineBatch,
  common: Omit<WebhookMessage, 'payload' | 'subtopic'>,
  things: LineMessages['things'],
): WebhookMessage[] {
  const messages: WebhookMessage[] = [];
  for (let row = 0; row < batch.rows.count; row++) {
    if (things !== undefined && things[row]?.hasWebhooks !== true) continue;
    messages.push({
      ...common,
      publisher: things?.[row]?.publisher ?? common.publisher,
      subtopic: subtopicOfRow(batch, row),
      payload: { kind: 'body', type: 'senml+json', body: senmlOfRow(batch, row) },
    });
  }
  return messages;
}
