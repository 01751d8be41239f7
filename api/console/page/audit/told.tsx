import type { AuditEntry } from '../client/call.ts';
import { address, linkTo, type Query } from '../router.ts';
import { changesTexts } from '../texts/changes.ts';

const words = changesTexts;

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
        {words.several(entries, kind)}
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
