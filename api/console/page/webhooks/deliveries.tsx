import { useState } from 'preact/hooks';
import { call, type Webhook, type WebhookDelivery } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { choose, address, linkTo } from '../router.ts';
import { webhooksTexts } from '../texts/webhooks.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Dialog, Question } from '../ui/dialog.tsx';
import { Choice } from '../ui/field.tsx';
import { Badge, Panel } from '../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import { Ago, At } from '../ui/time.tsx';
import { say } from '../ui/toasts.tsx';
import { History } from './history.tsx';

type Outcome = '' | 'delivered' | 'failed';

const outcomeOf = (text: string | undefined): Outcome =>
  text === 'delivered' || text === 'failed' ? text : '';

/** The attempts to deliver, the newest first. */
export function Deliveries({ webhook, mayReplay }: { webhook: Webhook; mayReplay: boolean }) {
  const offset = pageOffset();
  const outcome = outcomeOf(address.value.query['outcome']);
  const [shown, setShown] = useState<WebhookDelivery>();
  const reading = useRead(`${webhook.id} ${offset} ${outcome}`, (signal) =>
    call(
      'listWebhookDeliveries',
      {
        path: { id: webhook.id },
        query: { offset, limit: pageLimit, ...(outcome === '' ? {} : { outcome }) },
      },
      signal,
    ),
  );
  return (
    <Panel
      title={webhooksTexts.deliveries}
      flush
      actions={
        <>
          <OutcomeChoice outcome={outcome} />
          <Button
            kind="quiet"
            icon="again"
            label={webhooksTexts.readAgain}
            onClick={reading.again}
          />
        </>
      }
    >
      <History id={webhook.id} newest={reading.value?.deliveries[0]} />
      <div class="tries">
        <PagedTable
          reading={reading}
          rowsOf={({ deliveries }) => deliveries}
          keyOf={({ id }) => String(id)}
          columns={columnsOf(setShown)}
          none={{ title: webhooksTexts.noAttempts, text: webhooksTexts.noAttemptsText }}
        />
      </div>
      {shown !== undefined && (
        <Attempt
          webhook={webhook}
          delivery={shown}
          mayReplay={mayReplay}
          again={reading.again}
          onClose={() => setShown(undefined)}
        />
      )}
    </Panel>
  );
}

function OutcomeChoice({ outcome }: { outcome: Outcome }) {
  const { all, delivered, failed } = webhooksTexts.outcomes;
  return (
    <Choice
      label={webhooksTexts.outcome}
      value={outcome}
      options={[
        { value: '', text: all },
        { value: 'delivered', text: delivered },
        { value: 'failed', text: failed },
      ]}
      onChoose={(value) => choose({ outcome: value, offset: undefined })}
    />
  );
}

const words = webhooksTexts;

const columnsOf = (
  show: (delivery: WebhookDelivery) => void,
): readonly Column<WebhookDelivery>[] => [
  { head: words.result, cell: (delivery) => <Result delivery={delivery} /> },
  {
    head: words.triedAt,
    cell: ({ tried_at: time, attempt }) => (
      <>
        <Ago time={time} />
        <div class="phone-only small muted">{words.oneAttempt(attempt)}</div>
      </>
    ),
  },
  {
    head: words.message,
    cell: (delivery) => (
      <Button kind="quiet" onClick={() => show(delivery)}>
        <bdi class="cut">{sourceOf(delivery)}</bdi>
      </Button>
    ),
  },
  { head: words.attempt, kind: 'number', isExtra: true, cell: ({ attempt }) => attempt },
  {
    head: words.took,
    kind: 'number',
    isExtra: true,
    cell: ({ duration_ms: ms }) => words.milliseconds(ms),
  },
];

/** The thing that sent the message, or what else it is of. */
function sourceOf({ thing_name: name, message_id: id }: WebhookDelivery): string {
  if (name !== undefined) return name;
  if (id.startsWith('ping-')) return words.aPing;
  return id.startsWith('alarm_') ? words.aNotice : words.aMessage;
}

function Result({ delivery: { status } }: { delivery: WebhookDelivery }) {
  if (status === undefined) return <Badge tone="bad">{webhooksTexts.noAnswer}</Badge>;
  const isDelivered = status >= 200 && status < 300;
  return <Badge tone={isDelivered ? 'good' : 'bad'}>{status}</Badge>;
}

/** One attempt: what was sent, and what the receiver answered. */
function Attempt({
  webhook,
  delivery,
  mayReplay,
  again,
  onClose,
}: {
  webhook: Webhook;
  delivery: WebhookDelivery;
  mayReplay: boolean;
  again: () => void;
  onClose: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Dialog title={words.oneAttempt(delivery.attempt)} onClose={onClose}>
      <Facts delivery={delivery} />
      <Sent webhookId={webhook.id} messageId={delivery.message_id} />
      {delivery.answer !== '' && <Code text={delivery.answer} label={words.answer} />}
      <div class="actions">
        <Button onClick={onClose}>{shellTexts.close}</Button>
        {mayReplay && (
          <Button icon="again" onClick={() => setAsking(true)}>
            {words.replayOne}
          </Button>
        )}
      </div>
      {isAsking && (
        <Question
          operation="replayWebhook"
          request={() => ({
            path: { id: webhook.id },
            body: { message_id: delivery.message_id },
          })}
          title={words.replayOne}
          text={words.replayText}
          action={words.replay}
          kind="primary"
          onDone={({ queued }) => {
            say(words.replayed(queued));
            onClose();
            again();
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </Dialog>
  );
}

function Facts({ delivery }: { delivery: WebhookDelivery }) {
  return (
    <dl class="facts">
      <dt>{words.result}</dt>
      <dd>
        <Result delivery={delivery} />
      </dd>
      <dt>{words.triedAt}</dt>
      <dd>
        <At time={delivery.tried_at} />
      </dd>
      <dt>{words.took}</dt>
      <dd>{words.milliseconds(delivery.duration_ms)}</dd>
      <dt>{words.message}</dt>
      <dd>
        <Source delivery={delivery} />
        <div class="mono small muted break">{delivery.message_id}</div>
      </dd>
      {delivery.received_at !== undefined && (
        <>
          <dt>{words.receivedAt}</dt>
          <dd>
            <At time={delivery.received_at} />
          </dd>
        </>
      )}
      {delivery.request_id !== undefined && (
        <>
          <dt>{words.request}</dt>
          <dd class="mono small break">{delivery.request_id}</dd>
        </>
      )}
      {delivery.error !== undefined && (
        <>
          <dt>{words.error}</dt>
          <dd class="break">{delivery.error}</dd>
        </>
      )}
    </dl>
  );
}

function Source({ delivery }: { delivery: WebhookDelivery }) {
  const { thing_id: id, thing_name: name } = delivery;
  if (id === undefined || name === undefined) return <>{sourceOf(delivery)}</>;
  return (
    <a href={linkTo(`/things/${id}`)}>
      <bdi>{name}</bdi>
    </a>
  );
}

/** The body as it was sent, as long as the message is kept. */
function Sent({ webhookId, messageId }: { webhookId: string; messageId: string }) {
  const { value, failure } = useRead(messageId, (signal) =>
    call('viewWebhookMessage', { path: { id: webhookId, messageId } }, signal),
  );
  if (failure?.status === 404) return <p class="muted small">{words.sentGone}</p>;
  if (value === undefined) return null;
  return (
    <div>
      <h3>
        {words.sent}{' '}
        <span class="muted small">
          {value.content_type}, {words.sentSize(value.bytes)}
        </span>
      </h3>
      <Code text={value.body} label={words.sent} />
    </div>
  );
}
