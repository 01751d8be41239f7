import { useState } from 'preact/hooks';
import { urlOf } from '../client/url.ts';
import { type AuditEntry, call, type Org, type Requests } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { choose, linkTo, address, type Query } from '../router.ts';
import { organizationTexts } from '../texts/organization.ts';
import { webhooksTexts } from '../texts/webhooks.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Choice, Search } from '../ui/field.tsx';
import { Badge, Panel, type Tone } from '../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import { Ago, At } from '../ui/time.tsx';

const words = organizationTexts.audit;

type Filters = Pick<
  NonNullable<Requests['listOrgAudit']['query']>,
  'actor' | 'action' | 'kind' | 'from'
>;

const optionsOf = <Value extends string>(named: Readonly<Record<Value, string>>) =>
  Object.entries<string>(named).map(([value, text]) => ({ value, text }));

const isKeyOf = <Names extends object>(
  names: Names,
  given: string,
): given is keyof Names & string => Object.hasOwn(names, given);

/** The filters in the address. */
function filtersOf({ actor = '', action = '', kind = '', since = '' }: Query): Filters {
  return {
    ...(actor === '' ? {} : { actor }),
    ...(isKeyOf(words.actions, action) ? { action } : {}),
    ...(isKeyOf(words.kinds, kind) ? { kind } : {}),
    ...(isKeyOf(sinceDays, since) ? { from: daysAgo(sinceDays[since]) } : {}),
  };
}

const sinceDays = { day: 1, week: 7, month: 30 } as const;

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** The changes in the org: who made which, when, from where. */
export function Audit({ org }: { org: Org }) {
  const offset = pageOffset();
  const { query } = address.value;
  const { actor, action, kind, since } = query;
  const [shown, setShown] = useState<AuditEntry>();
  const reading = useRead(JSON.stringify([org.id, actor, action, kind, since, offset]), (signal) =>
    call(
      'listOrgAudit',
      { path: { id: org.id }, query: { ...filtersOf(query), offset, limit: pageLimit } },
      signal,
    ),
  );
  const isFiltered = Object.keys(filtersOf(query)).length > 0;
  return (
    <Panel flush>
      <FilterBar org={org} />
      <div class="log">
        <PagedTable
          reading={reading}
          rowsOf={({ entries }) => entries}
          keyOf={({ id }) => String(id)}
          columns={columnsOf(setShown)}
          none={
            isFiltered ? { title: words.noneSuch } : { title: words.none, text: words.noneText }
          }
        />
      </div>
      {shown !== undefined && <Entry entry={shown} onClose={() => setShown(undefined)} />}
    </Panel>
  );
}

function FilterBar({ org }: { org: Org }) {
  const { query } = address.value;
  const change = (to: Query) => choose({ ...to, offset: undefined }, 'replace');
  const file = (convert: 'csv' | 'ndjson') =>
    urlOf(`/orgs/${org.id}/audit/export`, {
      ...filtersOf(query),
      convert,
      ...(convert === 'csv' ? { bom: true } : {}),
    });
  return (
    <header class="filters">
      <Search
        label={words.search}
        value={query['actor'] ?? ''}
        onSearch={(actor) => change({ actor })}
      />
      <Choice
        label={words.kind}
        value={query['kind'] ?? ''}
        options={[{ value: '', text: words.everyKind }, ...optionsOf(words.kinds)]}
        onChoose={(kind) => change({ kind })}
      />
      <Choice
        label={words.action}
        value={query['action'] ?? ''}
        options={[{ value: '', text: words.everyAction }, ...optionsOf(words.actions)]}
        onChoose={(action) => change({ action })}
      />
      <Choice
        label={words.when}
        value={query['since'] ?? ''}
        options={[{ value: '', text: words.always }, ...optionsOf(words.since)]}
        onChoose={(since) => change({ since })}
      />
      <span class="row end">
        <ButtonLink icon="download" href={file('csv')} download="audit.csv" label={words.csv}>
          CSV
        </ButtonLink>
        <ButtonLink
          icon="download"
          href={file('ndjson')}
          download="audit.ndjson"
          label={words.ndjson}
        >
          NDJSON
        </ButtonLink>
      </span>
    </header>
  );
}

const tones: Readonly<Record<AuditEntry['action'], Tone>> = {
  create: 'good',
  update: 'accent',
  delete: 'bad',
  restore: 'warn',
  backup: 'accent',
  export: 'accent',
  replay: 'accent',
  failed_login: 'bad',
};

const columnsOf = (show: (entry: AuditEntry) => void): readonly Column<AuditEntry>[] => [
  { head: words.when, cell: ({ at }) => <Ago time={at} /> },
  { head: words.who, isExtra: true, cell: (entry) => <Who entry={entry} /> },
  {
    head: words.what,
    kind: 'name',
    cell: (entry) => (
      <span class="row what">
        <Badge tone={tones[entry.action]}>{words.actions[entry.action]}</Badge>
        <What entry={entry} />
        <span class="phone-only muted small">
          <Who entry={entry} />
        </span>
      </span>
    ),
  },
  { head: words.change, isExtra: true, cell: (entry) => <Changes entry={entry} most={2} /> },
  {
    head: words.where,
    isExtra: true,
    cell: ({ address: from }) => <span class="mono small">{from ?? ''}</span>,
  },
  {
    head: words.more,
    cell: (entry) => (
      <Button kind="quiet" icon="eye" label={words.show(entry.id)} onClick={() => show(entry)} />
    ),
  },
];

function Who({ entry }: { entry: AuditEntry }) {
  const { actor_type: type, actor_email: email, actor_id: id, api_key_id: key } = entry;
  return (
    <>
      <bdi class="cut">{email ?? (type === 'thing' ? id : words.actors[type])}</bdi>
      {key !== undefined && <span class="small muted">{words.byKey}</span>}
    </>
  );
}

function What({ entry }: { entry: AuditEntry }) {
  const { kind, entity_id: id, entity_name: name } = entry;
  const text = <bdi>{name ?? id ?? ''}</bdi>;
  const isThere = kind === 'thing' && id !== undefined && entry.action !== 'delete';
  return (
    <span class="cut" title={name}>
      <span class="muted">{words.kinds[kind]}</span>{' '}
      {isThere ? <a href={linkTo(`/things/${id}`)}>{text}</a> : text}
    </span>
  );
}

/** Members before and after; of those that are not told, the name. */
function Changes({ entry, most }: { entry: AuditEntry; most: number }) {
  const changes = Object.entries(entry.changes);
  const more = changes.length - most;
  return (
    <ul class="changes small">
      {changes.slice(0, most).map(([name, { from, to }]) => (
        <li key={name} class="cut">
          <span class="muted">{name}</span> {from !== undefined && <del>{from}</del>}
          {from !== undefined && to !== undefined && ' → '}
          {to !== undefined && <ins>{to}</ins>}
        </li>
      ))}
      {more > 0 && <li class="muted">{words.moreChanges(more)}</li>}
    </ul>
  );
}

/** All that is known of one change. */
function Entry({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const facts: [string, string | undefined][] = [
    [words.operation, entry.operation],
    [words.where, entry.address],
    [webhooksTexts.request, entry.request_id],
    [words.entity, entry.entity_id],
    [words.group, entry.group_id],
    [words.apiKey, entry.api_key_id],
  ];
  return (
    <Dialog title={`${words.actions[entry.action]}: ${words.kinds[entry.kind]}`} onClose={onClose}>
      <dl class="facts">
        <dt>{words.when}</dt>
        <dd>
          <At time={entry.at} />
        </dd>
        <dt>{words.who}</dt>
        <dd>
          <Who entry={entry} />
        </dd>
        <dt>{words.what}</dt>
        <dd>
          <What entry={entry} />
        </dd>
        {facts.map(
          ([name, value]) =>
            value !== undefined && [
              <dt key={`${name} name`}>{name}</dt>,
              <dd key={name} class="mono small break">
                {value}
              </dd>,
            ],
        )}
        <dt>{words.change}</dt>
        <dd>
          <Changes entry={entry} most={Number.POSITIVE_INFINITY} />
        </dd>
      </dl>
      <div class="actions">
        <Button onClick={onClose}>{shellTexts.close}</Button>
      </div>
    </Dialog>
  );
}
