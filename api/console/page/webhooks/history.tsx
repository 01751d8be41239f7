import { call, type WebhookDelivery } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { webhooksTexts } from '../texts/webhooks.ts';
import { partsTexts } from '../texts/parts.ts';
import { Ago } from '../ui/time.tsx';

const words = webhooksTexts;

const dayMs = 86_400_000;
const drawnMax = 60;
const height = 32;
const step = 4;

/** How the attempts of the last day went, and how long the last ones took. It is read again after another one. */
export function History({ id, newest }: { id: string; newest: WebhookDelivery | undefined }) {
  const { value } = useRead(newest && `${id} ${newest.id}`, async (signal) => {
    const path = { id };
    const from = new Date(Date.now() - dayMs).toISOString();
    const counted = { from, limit: 1 };
    const [all, delivered, last] = await Promise.all([
      call('listWebhookDeliveries', { path, query: counted }, signal),
      call('listWebhookDeliveries', { path, query: { ...counted, outcome: 'delivered' } }, signal),
      call('listWebhookDeliveries', { path, query: { limit: drawnMax } }, signal),
    ]);
    return { all: all.total, delivered: delivered.total, last: last.deliveries };
  });
  const [last] = value?.last ?? [];
  if (value === undefined || last === undefined) return null;
  const { all, delivered } = value;
  return (
    <div class="history">
      <p class="muted">
        {words.lastAttempt} <Ago time={last.tried_at} />
        {all > 0 && (
          <span>. {words.ofLastDay(partsTexts.share(delivered / all), words.attempts(all))}</span>
        )}
      </p>
      <Bars attempts={value.last.toReversed()} />
    </div>
  );
}

const isDelivered = ({ status = 0 }: WebhookDelivery) => status >= 200 && status < 300;

function Bars({ attempts }: { attempts: readonly WebhookDelivery[] }) {
  const longest = Math.max(1, ...attempts.map(({ duration_ms: ms }) => ms));
  const width = attempts.length * step;
  return (
    <svg
      class="attempts"
      role="img"
      aria-label={words.attemptsDrawn(attempts.length)}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
    >
      {attempts.map((attempt, at) => {
        const size = Math.max(3, Math.round((attempt.duration_ms / longest) * height));
        return (
          <rect
            key={attempt.id}
            data-failed={!isDelivered(attempt)}
            x={at * step}
            y={height - size}
            width={step - 1}
            height={size}
          />
        );
      })}
    </svg>
  );
}
