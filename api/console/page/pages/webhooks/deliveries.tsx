import { useState } from 'preact/hooks';
import { call, type Webhook, type WebhookDelivery } from '../../client/call.ts';
import { useRead } from '../../client/use-read.ts';
import { choose, place } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/copy.tsx';
import { Dialog, useAction } from '../../ui/dialog.tsx';
import { Choice } from '../../ui/field.tsx';
import { Badge, Panel } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Empty, Loaded, Notice } from '../../ui/states.tsx';
import { Ago, At } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';

const limit = 40;

type Outcome = '' | 'delivered' | 'failed';

const outcomeOf = (text: string | undefined): Outcome =>
  text === 'delivered' || text === 'failed' ? text : '';

/** What was tried to deliver, the newest first. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { offset = '0', outcome: chosen } = place.value.query;
  const outcome = outcomeOf(chosen);
  const [shown, setShown] = useState<WebhookDelivery>();
  const reading = useRead(`${webhook.id} ${offset} ${outcome}`, (signal) =>
    call(
      'listWebhookDeliveries',
      {
        path: { id: webhook.id },
        query: { offset: Number(offset), limit, ...(outcome === '' ? {} : { outcome }) },
      },
      signal,
    ),
  );
  return (
    <Panel
      title={texts.webhooks.deliveries}
      flush
      actions={
        <>
          <OutcomeChoice outcome={outcome} />
          <Button
            kind="quiet"
            icon="again"
            label={texts.webhooks.readAgain}
            onClick={reading.again}
          />
        </>
      }
    >
      <Loaded reading={reading}>
        {({ deliveries, total }) =>
          total === 0 ? (
            <Empty title={texts.webhooks.noTries} text={texts.webhooks.noTriesText} />
          ) : (
            <>
              <Table deliveries={deliveries} show={setShown} />
              <Pager
                offset={Number(offset)}
                limit={limit}
                total={total}
                onOffset={(next) => choose({ offset: String(next) })}
              />
            </>
          )
        }
      </Loaded>
      {shown !== undefined && (
        <Try
          webhook={webhook}
          delivery={shown}
          again={reading.again}
          onClose={() => setShown(undefined)}
        />
      )}
    </Panel>
  );
}

function OutcomeChoice({ outcome }: { outcome: Outcome }) {
  const { all, delivered, failed } = texts.webhooks.outcomes;
  return (
    <Choice
      label={texts.webhooks.outcome}
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

function Table({
  deliveries,
  show,
}: {
  deliveries: readonly WebhookDelivery[];
  show: (delivery: WebhookDelivery) => void;
}) {
  const words = texts.webhooks;
  return (
    <div class="scroll">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{words.result}</th>
            <th scope="col">{words.triedAt}</th>
            <th scope="col">{words.message}</th>
            <th scope="col" class="number">
              {words.attempt}
            </th>
            <th scope="col" class="number">
              {words.took}
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <tr key={delivery.id}>
              <td>
                <Result delivery={delivery} />
              </td>
              <td>
                <Ago time={delivery.tried_at} />
              </td>
              <td class="cell">
                <Button kind="quiet" onClick={() => show(delivery)}>
                  <span class="cut mono small">{delivery.message_id}</span>
                </Button>
              </td>
              <td class="number">{delivery.attempt}</td>
              <td class="number">{words.milliseconds(delivery.duration_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Result({ delivery: { status } }: { delivery: WebhookDelivery }) {
  if (status === undefined) return <Badge tone="bad">{texts.webhooks.noAnswer}</Badge>;
  const isDelivered = status >= 200 && status < 300;
  return <Badge tone={isDelivered ? 'good' : 'bad'}>{status}</Badge>;
}

/** One try, with what the receiver answered. */
function Try({
  webhook,
  delivery,
  again,
  onClose,
}: {
  webhook: Webhook;
  delivery: WebhookDelivery;
  again: () => void;
  onClose: () => void;
}) {
  const words = texts.webhooks;
  const { failure, isBusy, run } = useAction();
  const replay = async () => {
    const body = { message_id: delivery.message_id };
    const { queued } = await call('replayWebhook', { path: { id: webhook.id }, body });
    say(words.replayed(queued));
    onClose();
    again();
  };
  return (
    <Dialog title={words.oneTry(delivery.attempt)} onClose={onClose}>
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
        <dd class="mono small break">{delivery.message_id}</dd>
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
      {delivery.answer !== '' && <Code text={delivery.answer} label={words.answer} />}
      <Notice failure={failure} />
      <div class="actions">
        <Button icon="again" disabled={isBusy} onClick={() => void run(replay)}>
          {words.replayOne}
        </Button>
      </div>
    </Dialog>
  );
}
