import { type WebhookJob, webhookMessageId } from '../../../schemas/internal/webhook-job.ts';
import type { Delivery } from './deliver.ts';

/** A delivery, where it stands in its job, and where its message stands in its bundle. */
export type PlacedDelivery = Delivery & { place: number; offset: number };

/** Each message for each of its webhooks. `read` gives the message at an offset. */
export function deliveriesOf(
  { bundle, messages }: WebhookJob,
  read: (offset: number) => ReturnType<Delivery['read']>,
): PlacedDelivery[] {
  const deliveries: PlacedDelivery[] = [];
  for (const { offset, webhook_ids: webhookIds } of messages) {
    const messageId = webhookMessageId({ ...bundle, offset });
    for (const webhookId of webhookIds) {
      const place = deliveries.length;
      deliveries.push({ webhookId, messageId, place, offset, read: () => read(offset) });
    }
  }
  return deliveries;
}
