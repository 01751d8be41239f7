import type { AuditEntry } from '../client/call.ts';
import { address, linkTo, type Query } from '../router.ts';
import { auditTexts } from '../texts/audit.ts';
import { organizationTexts } from '../texts/organization.ts';
import { webhooksTexts } from '../texts/webhooks.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { At } from '../ui/time.tsx';

const words = organizationTexts.audit;

export function Who({ entry }: { entry: AuditEntry }) {
  const { actor_type: type, actor_email: email, actor_id: id, api_key_id: key } = entry;
  return (
    <>
      <bdi class="cut">{email ?? (type === 'thing' ? id : words.actors[type])}</bdi>
      {key !== undefined && <span class="small muted">{words.byKey}</span>}
    </>
  );
}

/** Names the thing that was changed. Several of one request lead to each of them in the log, which is this page unless another is named. */
export function What({ entry, log }: { entry: AuditEntry; log?: { path: string; query: Query } }) {
  const { kind, entity_id: id, entity_name: name, entries = 1, request_id: request } = entry;
  if (entries > 1) {
    const { path, query } = log ?? address.value;
    return (
      <a class="cut" href={linkTo(path, { ...query, request, offset: undefined })}>
        {auditTexts.several(entries, kind)}
      </a>
    );
  }
  const text = <bdi>{name ?? id ?? ''}</bdi>;
  const href = id === undefined || entry.action === 'delete' ? undefined : pages[kind]?.(id);
  return (
    <span class="cut" title={name}>
      <span class="muted">{words.kinds[kind]}</span>{' '}
      {href === undefined ? text : <a href={href}>{text}</a>}
    </span>
  );
}

/** Pages of kinds that have one. */
const pages: Partial<Record<AuditEntry['kind'], (id: string) => string>> = {
  thing: (id) => linkTo(`/things/${id}`),
  webhook: (id) => linkTo(`/webhooks/${id}`),
  group: (id) => linkTo(`/groups/${id}`),
  rule: (id) => linkTo(`/rules/${id}`),
  profile: (id) => linkTo(`/profiles/${id}`),
  dashboard: (id) => linkTo(`/dashboards/${id}`),
  alarm: (id) => linkTo(`/alarms/${id}`),
  org: (id) => linkTo('/organization', { org: id }),
  queue: (id) => linkTo(`/operations/queues/${id}`),
};

/** Members before and after; of those that are not told, the name. */
export function Changes({ entry, most }: { entry: AuditEntry; most: number }) {
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
export function Entry({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
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
