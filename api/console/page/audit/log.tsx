import { useState } from 'preact/hooks';
import { type AuditEntry, call, type Org } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { address } from '../router.ts';
import { auditTexts } from '../texts/audit.ts';
import { changesTexts } from '../texts/changes.ts';
import { Button } from '../ui/button.tsx';
import { Badge, Panel, type Tone } from '../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import { Ago, At } from '../ui/time.tsx';
import { Changes, Entry } from './entry.tsx';
import { FilterBar, filtersOf } from './filters.tsx';
import { What, Who } from './told.tsx';

const words = auditTexts;

/** Changes in an org, or on the whole platform: who made which, when, from where. Those of one request are one row. */
export function AuditLog({ org }: { org?: Org }) {
  const offset = pageOffset();
  const filters = filtersOf(address.value.query);
  const [shown, setShown] = useState<AuditEntry>();
  // The time of a filter moves on with the clock.
  const { actor, action, kind, since, entity, request } = address.value.query;
  const key = JSON.stringify([org?.id, actor, action, kind, since, entity, request, offset]);
  const reading = useRead(key, (signal) => {
    const isGrouped = filters.request_id === undefined;
    const query = { ...filters, grouped: isGrouped, offset, limit: pageLimit };
    return org === undefined
      ? call('listAudit', { query }, signal)
      : call('listOrgAudit', { path: { id: org.id }, query }, signal);
  });
  const isFiltered = Object.keys(filters).length > 0;
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
  {
    head: words.when,
    cell: ({ at }) => (
      <>
        <span class="unbroken">
          <Ago time={at} />
        </span>
        <div class="small muted">
          <At time={at} />
        </div>
      </>
    ),
  },
  { head: words.who, isExtra: true, cell: (entry) => <Who entry={entry} /> },
  {
    head: words.what,
    kind: 'name',
    cell: (entry) => (
      <span class="row what">
        <Badge tone={tones[entry.action]}>{changesTexts.actions[entry.action]}</Badge>
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
