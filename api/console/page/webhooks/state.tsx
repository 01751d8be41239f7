import type { Webhook } from '../client/call.ts';
import { webhookStatesTexts } from '../texts/webhook-states.ts';
import { Badge } from '../ui/page.tsx';

type Told = Pick<Webhook, 'disabled_at' | 'failing_since' | 'missed_deliveries'>;

/** How it goes with a webhook, in a word. */
export function WebhookState({ webhook }: { webhook: Told }) {
  const states = webhookStatesTexts;
  if (webhook.disabled_at !== undefined) return <Badge tone="bad">{states.disabled}</Badge>;
  if (webhook.failing_since !== undefined) return <Badge tone="bad">{states.failing}</Badge>;
  if ((webhook.missed_deliveries ?? 0) > 0) return <Badge tone="warn">{states.missed}</Badge>;
  return <Badge tone="good">{states.enabled}</Badge>;
}

/** The thing, group or org whose messages it gets. */
export function ofWhat({ thing_id: thing, group_id: group }: Webhook): 'thing' | 'group' | 'org' {
  if (thing !== undefined) return 'thing';
  return group === undefined ? 'org' : 'group';
}
