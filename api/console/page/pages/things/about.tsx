import type { ComponentChild } from 'preact';
import { call, type Thing } from '../../client/call.ts';
import { type Reading, useRead } from '../../client/use-read.ts';
import { texts } from '../../texts.ts';
import { Code, Copy } from '../../ui/copy.tsx';
import { Badge, Panel } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Ago, At } from '../../ui/time.tsx';

/** What is known of a thing, and what belongs to it. */
export function About({ thing }: { thing: Thing }) {
  const { id } = thing;
  const { things } = texts;
  const profile = useRead(id, (signal) => call('viewThingProfile', { path: { id } }, signal));
  return (
    <div class="stack">
      <Panel title={things.about}>
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
            <Ago time={thing.last_seen} />
          </dd>
          <dt>{things.profile}</dt>
          <dd>
            <bdi>{profile.value?.name}</bdi>
          </dd>
        </dl>
      </Panel>
      <Panel title={things.metadata}>
        <Code text={JSON.stringify(thing.metadata, null, 2)} label={things.metadata} />
      </Panel>
      {profile.value !== undefined && (
        <Panel title={things.profileConfig}>
          <Code text={JSON.stringify(profile.value.config, null, 2)} label={things.profileConfig} />
        </Panel>
      )}
      <Webhooks id={id} />
      <Certificates id={id} />
    </div>
  );
}

function Webhooks({ id }: { id: string }) {
  const { things } = texts;
  const reading = useRead(id, (signal) =>
    call('listThingWebhooks', { path: { id }, query: { limit: 40 } }, signal),
  );
  return (
    <Belongings
      title={things.webhooks}
      none={things.noWebhooks}
      noneText={things.noWebhooksText}
      reading={reading}
      rows={({ webhooks }) =>
        webhooks.map(({ id: webhook, name, url, disabled_at: disabledAt }) => (
          <tr key={webhook}>
            <th scope="row">
              <bdi class="cut">{name}</bdi>
            </th>
            <td>
              <bdi class="cut mono" title={url}>
                {url}
              </bdi>
            </td>
            <td class="narrow">
              <Badge tone={disabledAt === undefined ? 'good' : 'bad'}>
                {disabledAt === undefined ? things.enabled : things.disabled}
              </Badge>
            </td>
          </tr>
        ))
      }
    />
  );
}

function Certificates({ id }: { id: string }) {
  const { things } = texts;
  const reading = useRead(id, (signal) =>
    call('listSerials', { path: { id }, query: { limit: 40 } }, signal),
  );
  return (
    <Belongings
      title={things.certificates}
      none={things.noCertificates}
      noneText={things.noCertificatesText}
      reading={reading}
      rows={({ certs }) =>
        certs.map(({ cert_serial: serial, expires_at: expiresAt }) => (
          <tr key={serial}>
            <th scope="row">
              <code class="cut">{serial}</code>
            </th>
            <td>
              {things.expires} <At time={expiresAt} />
            </td>
          </tr>
        ))
      }
    />
  );
}

/** A short list of what belongs to the thing. */
function Belongings<Value>({
  title,
  none,
  noneText,
  reading,
  rows,
}: {
  title: string;
  none: string;
  noneText: string;
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
    <Panel flush title={title}>
      <Loaded reading={reading}>{(value) => show(rows(value))}</Loaded>
    </Panel>
  );
}
