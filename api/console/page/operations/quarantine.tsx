import type { Operations } from '../client/call.ts';
import { operationsTexts } from '../texts/operations.ts';
import { Panel } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';

type Entry = Operations['quarantine'][number];

const words = operationsTexts.quarantine;

const columns: readonly Column<Entry>[] = [
  {
    head: words.at,
    kind: 'name',
    cell: ({ at }) => (
      <span class="unbroken">
        <Ago time={at} />
      </span>
    ),
  },
  {
    head: words.reason,
    cell: ({ code, reason }) => (
      <div class="reason">
        <span class="mono small">{code}</span> <bdi class="small break">{reason}</bdi>
      </div>
    ),
  },
  {
    head: words.where,
    cell: ({ process, sink }) => (
      <>
        {words.sinks[sink] ?? sink}
        <bdi class="small muted cut" title={process}>
          {process}
        </bdi>
      </>
    ),
  },
  { head: words.records, kind: 'number', cell: ({ records }) => records ?? '–' },
  {
    head: words.place,
    cell: ({ segment, offset }) => <span class="mono small">{`${segment}:${offset}`}</span>,
  },
];

/** Frames that the sinks quarantined, with the reasons. */
export function Quarantine({ entries }: { entries: readonly Entry[] }) {
  return (
    <Panel title={words.title} flush={entries.length > 0}>
      {entries.length === 0 ? (
        <Empty title={words.none} text={words.noneText} />
      ) : (
        <>
          <p class="explained small muted">{words.text}</p>
          <Table
            label={words.title}
            columns={columns}
            rows={entries}
            keyOf={({ process, sink, segment, offset }) => [process, sink, segment, offset].join()}
          />
        </>
      )}
    </Panel>
  );
}
