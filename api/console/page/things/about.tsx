import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { call, type Thing } from '../client/call.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { linkTo } from '../router.ts';
import { webhooksTexts } from '../texts/webhooks.ts';
import { Button } from '../ui/button.tsx';
import { Code, Copy } from '../ui/copy.tsx';
import { Panel } from '../ui/page.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { useMay } from '../roles.ts';
import { Adding } from '../webhooks/adding.tsx';
import { WebhookState } from '../webhooks/state.tsx';
import { Certificates } from './certificates.tsx';
import { ThingActions } from './changing.tsx';
import { Metadata } from './metadata.tsx';
import { type Seen, SeenAt } from './seen.tsx';
import { thingsTexts } from '../texts/things.ts';

/** The facts of a thing, and all that belongs to it. */
export function About(props: { thing: Thing; seen: Seen; again: () => void }) {
  const { thing, seen, again } = props;
  const { id } = thing;
  const things = thingsTexts;
  const group = useRead(thing.group_id, (signal) =>
    call('viewThingGroup', { path: { id } }, signal),
  );
  const may = useMay({ of: 'group', id: thing.group_id });
  const profile = useRead(thing.profile_id, (signal) =>
    call('viewThingProfile', { path: { id } }, signal),
  );
  return (
    <div class="stack">
      <Panel title={things.about} actions={<ThingActions thing={thing} may={may} again={again} />}>
        <dl class="facts">
          <dt>{things.id}</dt>
          <dd class="row">
            <code>{id}</code>
            <Copy text={id} />
          </dd>
          <dt>{things.type}</dt>
          <dd>{things.types[thing.type]}</dd>
          <dt>{things.lastSeen}</dt>
          <dd>
            <SeenAt seen={seen} />
          </dd>
          <dt>{things.group}</dt>
          <dd>
            <a href={linkTo(`/groups/${thing.group_id}`)}>
              <bdi>{group.value?.name}</bdi>
            </a>
          </dd>
          <dt>{things.profile}</dt>
          <dd>
            <a href={linkTo(`/profiles/${thing.profile_id}`)}>
              <bdi>{profile.value?.name}</bdi>
            </a>
          </dd>
        </dl>
      </Panel>
      <Metadata thing={thing} mayChange={may('updateThing')} again={again} />
      {profile.value !== undefined && (
        <Panel title={things.profileConfig}>
          <Code text={JSON.stringify(profile.value.config, null, 2)} label={things.profileConfig} />
        </Panel>
      )}
      <Webhooks thing={thing} />
      <Certificates thing={thing} may={may} />
    </div>
  );
}

function Webhooks({ thing: { id, name, group_id: group } }: { thing: Thing }) {
  const things = thingsTexts;
  const may = useMay({ of: 'group', id: group });
  const [isAdding, setAdding] = useState(false);
  const reading = useRead(id, (signal) =>
    call('listThingWebhooks', { path: { id }, query: { limit: 40 } }, signal),
  );
  return (
    <>
      <Belongings
        title={things.webhooks}
        actions={
          may('createWebhooks') && (
            <Button icon="plus" onClick={() => setAdding(true)}>
              {webhooksTexts.add}
            </Button>
          )
        }
        none={things.noWebhooks}
        noneText={things.noWebhooksText}
        reading={reading}
        rows={({ webhooks }) =>
          webhooks.map((webhook) => (
            <tr key={webhook.id}>
              <th scope="row">
                <a href={linkTo(`/webhooks/${webhook.id}`)}>
                  <bdi class="cut">{webhook.name}</bdi>
                </a>
              </th>
              <td>
                <bdi class="cut mono" title={webhook.url}>
                  {webhook.url}
                </bdi>
              </td>
              <td class="narrow">
                <WebhookState webhook={webhook} />
              </td>
            </tr>
          ))
        }
      />
      {isAdding && <Adding place={{ of: 'thing', id, name }} onClose={() => setAdding(false)} />}
    </>
  );
}

/** A short list of what belongs to the thing. */
function Belongings<Value>({
  title,
  none,
  noneText,
  actions,
  reading,
  rows,
}: {
  title: string;
  none: string;
  noneText: string;
  actions?: ComponentChild;
  reading: Reading<Value>;
  rows: (value: Value) => ComponentChild[];
}) {
  const show = (shown: ComponentChild[]) =>
    shown.length === 0 ? (
      <Empty title={none} text={noneText} />
    ) : (
      <table class="table fixed">
        <tbody>{shown}</tbody>
      </table>
    );
  return (
    <Panel flush title={title} actions={actions}>
      <Loaded reading={reading}>{(value) => show(rows(value))}</Loaded>
    </Panel>
  );
}
