import { useState } from 'preact/hooks';
import { call, type Requests, type Webhook } from '../client/call.ts';
import { FieldError } from '../client/failure.ts';
import { useRead } from '../client/use-read.ts';
import { goTo, linkTo, type PageProps } from '../router.ts';
import { partsTexts } from '../texts/parts.ts';
import { webhooksTexts } from '../texts/webhooks.ts';
import { Button } from '../ui/button.tsx';
import { Secret } from '../ui/copy.tsx';
import { FormDialog, Question } from '../ui/dialog.tsx';
import { useAction } from '../ui/form.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Loaded, Notice } from '../ui/states.tsx';
import { At } from '../ui/time.tsx';
import { say } from '../ui/toasts.tsx';
import { type RolePlace, useMay } from '../roles.ts';
import { Editing } from './editing.tsx';
import { Deliveries } from './deliveries.tsx';
import { ofWhat, WebhookState } from './state.tsx';
import { instantOf } from '../explore/wall-time.ts';
import { ownTimeZone } from '../time-zone.ts';

/** One webhook: how it goes, what was tried, and what can be done. */
export default function WebhookPage({ parameters: { id = '' } }: PageProps) {
  const reading = useRead(id, (signal) => call('viewWebhook', { path: { id } }, signal));
  return (
    <Loaded reading={reading} isPage>
      {(webhook) => <View webhook={webhook} again={reading.again} />}
    </Loaded>
  );
}

/** Whose role it takes to change the webhook: of a thing, it is that of its group. */
function placeOf({ org_id: org, group_id: group }: Webhook): RolePlace | undefined {
  if (org !== undefined) return { of: 'org', id: org };
  return group === undefined ? undefined : { of: 'group', id: group };
}

function View({ webhook, again }: { webhook: Webhook; again: () => void }) {
  const [tries, setTries] = useState(0);
  const may = useMay(placeOf(webhook));
  const readAgain = () => {
    setTries(tries + 1);
    again();
  };
  return (
    <>
      <PageHead title={webhook.name} trail={[{ text: webhooksTexts.title, href: '#/webhooks' }]}>
        {may('updateWebhook') && <Actions webhook={webhook} again={readAgain} />}
      </PageHead>
      <div class="stack">
        <About webhook={webhook} />
        <Deliveries key={tries} webhook={webhook} mayReplay={may('replayWebhook')} />
      </div>
    </>
  );
}

function Actions({ webhook, again }: { webhook: Webhook; again: () => void }) {
  const path = { id: webhook.id };
  const [open, setOpen] = useState<Open>();
  const { failure, isBusy, run } = useAction();
  const ping = async () => {
    await call('pingWebhook', { path });
    say(webhooksTexts.pinged);
    again();
  };
  const disable = async (disabled: boolean) => {
    await call('updateWebhook', { path, body: { disabled } });
    say(disabled ? webhooksTexts.disabled : webhooksTexts.enabled);
    again();
  };
  return (
    <>
      {webhook.disabled_at === undefined ? (
        <>
          <Button icon="play" disabled={isBusy} onClick={() => void run(ping)}>
            {webhooksTexts.ping}
          </Button>
          <Button icon="again" onClick={() => setOpen('replay')}>
            {webhooksTexts.replay}
          </Button>
          <Button icon="pause" onClick={() => setOpen('disable')}>
            {webhooksTexts.disable}
          </Button>
        </>
      ) : (
        <Button
          kind="primary"
          icon="play"
          disabled={isBusy}
          onClick={() => void run(() => disable(false))}
        >
          {webhooksTexts.enable}
        </Button>
      )}
      <Button onClick={() => setOpen('edit')}>{webhooksTexts.edit}</Button>
      <Button kind="danger" onClick={() => setOpen('delete')}>
        {webhooksTexts.delete}
      </Button>
      <Notice failure={failure} />
      <Dialogs
        open={open}
        webhook={webhook}
        again={again}
        disable={() => disable(true)}
        onClose={() => setOpen(undefined)}
      />
    </>
  );
}

type Open = 'edit' | 'replay' | 'disable' | 'delete';

function Dialogs({
  open,
  webhook,
  again,
  disable,
  onClose,
}: {
  open: Open | undefined;
  webhook: Webhook;
  again: () => void;
  disable: () => Promise<void>;
  onClose: () => void;
}) {
  return (
    <>
      {open === 'edit' && <Editing webhook={webhook} again={again} onClose={onClose} />}
      {open === 'replay' && <Replaying webhook={webhook} again={again} onClose={onClose} />}
      {open === 'disable' && (
        <FormDialog
          title={webhooksTexts.disabling}
          action={webhooksTexts.disable}
          kind="danger"
          submit={disable}
          onClose={onClose}
        >
          <p class="muted">{webhooksTexts.disablingText}</p>
        </FormDialog>
      )}
      {open === 'delete' && <Deleting webhook={webhook} onClose={onClose} />}
    </>
  );
}

function Replaying({
  webhook,
  again,
  onClose,
}: {
  webhook: Webhook;
  again: () => void;
  onClose: () => void;
}) {
  const [what, setWhat] = useState('failed');
  return (
    <Question
      operation="replayWebhook"
      request={(form) => ({
        path: { id: webhook.id },
        body: replayIn(form),
      })}
      title={webhooksTexts.replay}
      text={webhooksTexts.replayText}
      action={webhooksTexts.replay}
      kind="primary"
      onDone={({ queued }) => {
        say(webhooksTexts.replayed(queued));
        again();
      }}
      onClose={onClose}
    >
      <Field label={webhooksTexts.replayWhat}>
        <select
          class="input"
          name="what"
          value={what}
          onChange={(event) => setWhat(event.currentTarget.value)}
        >
          <option value="failed">{webhooksTexts.replayFailed}</option>
          <option value="hour">{webhooksTexts.replayHour}</option>
          <option value="range">{webhooksTexts.replayRange}</option>
        </select>
      </Field>
      {what === 'range' && (
        <>
          <Field label={webhooksTexts.replayFrom}>
            <input class="input" name="from" type="datetime-local" required />
          </Field>
          <Field label={webhooksTexts.replayTo}>
            <input class="input" name="to" type="datetime-local" />
          </Field>
        </>
      )}
    </Question>
  );
}

/** The messages to deliver again; times are typed in the zone that one chose. */
function replayIn(form: FormData): Requests['replayWebhook']['body'] {
  const what = fieldOf(form, 'what');
  if (what === 'hour') return { from: new Date(Date.now() - 3_600_000).toISOString() };
  if (what !== 'range') return { failed: true };
  const to = fieldOf(form, 'to');
  const at = (text: string) => new Date(instantOf(text, ownTimeZone)).toISOString();
  return {
    from: at(fieldOf(form, 'from')),
    ...(to === '' ? {} : { to: at(to) }),
  };
}

function Deleting({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  return (
    <Question
      operation="deleteWebhooks_patch"
      request={(form) => {
        if (fieldOf(form, 'name') !== webhook.name)
          throw new FieldError('name', partsTexts.otherName);
        return { body: { webhook_ids: [webhook.id] } };
      }}
      title={webhooksTexts.deleting}
      text={webhooksTexts.deletingText}
      action={webhooksTexts.delete}
      onDone={() => goTo('/webhooks')}
      onClose={onClose}
    >
      <Field label={partsTexts.typeName(webhook.name)}>
        <input class="input" name="name" autocomplete="off" required />
      </Field>
    </Question>
  );
}

function About({ webhook }: { webhook: Webhook }) {
  const { secret, headers = {} } = webhook;
  const { waiting_deliveries: waiting = 0, missed_deliveries: missed = 0 } = webhook;
  const names = Object.keys(headers);
  return (
    <Panel title={webhooksTexts.about}>
      <dl class="facts">
        <dt>{webhooksTexts.state}</dt>
        <dd>
          <State webhook={webhook} />
        </dd>
        <dt>{webhooksTexts.of}</dt>
        <dd>
          <Source webhook={webhook} />
        </dd>
        <dt>{webhooksTexts.url}</dt>
        <dd>
          <bdi class="mono small break">{webhook.url}</bdi>
        </dd>
        {names.length > 0 && (
          <>
            <dt>{webhooksTexts.headers}</dt>
            <dd>
              <bdi class="mono small break">{names.join(', ')}</bdi>
            </dd>
          </>
        )}
        {secret !== undefined && (
          <>
            <dt>{webhooksTexts.secret}</dt>
            <dd>
              <Secret value={secret} label={webhooksTexts.secret} />
            </dd>
          </>
        )}
        {webhook.messages === false && (
          <>
            <dt>{webhooksTexts.gets}</dt>
            <dd>{webhooksTexts.noticesOnly}</dd>
          </>
        )}
        {waiting > 0 && (
          <>
            <dt>{webhooksTexts.waiting}</dt>
            <dd>{webhooksTexts.counted(waiting)}</dd>
          </>
        )}
        {missed > 0 && (
          <>
            <dt>{webhooksTexts.missed}</dt>
            <dd>{webhooksTexts.counted(missed)}</dd>
          </>
        )}
      </dl>
    </Panel>
  );
}

/** The state of the webhook, and since when it is so. */
function State({ webhook }: { webhook: Webhook }) {
  const { disabled_at: disabledAt, disabled_why: why = '', failing_since: failingSince } = webhook;
  return (
    <>
      <WebhookState webhook={webhook} />
      {disabledAt !== undefined && (
        <p class="small muted">
          <At time={disabledAt} />: {webhooksTexts.disabledWhy(why)}
        </p>
      )}
      {disabledAt === undefined && failingSince !== undefined && (
        <p class="small muted">
          {webhooksTexts.failingSince} <At time={failingSince} />.
        </p>
      )}
    </>
  );
}

/** The thing, group or org whose messages the webhook gets: a link by its name. */
function Source({ webhook }: { webhook: Webhook }) {
  const { thing_id: thing, group_id: group, org_id: org } = webhook;
  const { value } = useRead(webhook.id, async (signal) => {
    if (thing !== undefined) {
      const { name } = await call('viewThing', { path: { id: thing } }, signal);
      return { name, link: linkTo(`/things/${thing}`) };
    }
    if (group !== undefined) {
      const { name } = await call('viewGroup', { path: { id: group } }, signal);
      return { name, link: linkTo(`/groups/${group}`) };
    }
    const { name } = await call('viewOrg', { path: { id: org ?? '' } }, signal);
    return { name, link: linkTo('/organization', { org }) };
  });
  return (
    <>
      {webhooksTexts.ofWhat[ofWhat(webhook)]}{' '}
      {value !== undefined && (
        <a href={value.link}>
          <bdi>{value.name}</bdi>
        </a>
      )}
    </>
  );
}
