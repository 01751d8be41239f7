import type { Operations } from '../../client/call.ts';
import { texts } from '../../texts.ts';
import { Badge, Panel, type Tone } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { withUnit, written } from './units.ts';

type Process = Operations['processes'][number];

const words = texts.operations;

const columns: readonly Column<Process>[] = [
  {
    head: words.process,
    kind: 'name',
    cell: ({ kind, name }) => (
      <>
        {words.kinds[kind]}
        <bdi class="small muted cut" title={name}>
          {name}
        </bdi>
      </>
    ),
  },
  { head: words.state, cell: (process) => <State process={process} /> },
  { head: words.cpu, kind: 'number', cell: ({ cpu_cores: cpu }) => cpuText(cpu) },
  {
    head: words.memory,
    kind: 'number',
    cell: ({ memory_bytes: bytes }) => withUnit('bytes', bytes),
  },
  { head: words.started, cell: ({ started_at: time }) => <Ago time={time} /> },
  { head: words.seen, cell: ({ seen_at: time }) => <Ago time={time} /> },
  { head: words.version, cell: ({ version }) => <span class="mono">{version}</span> },
];

/** All processes that reported not long ago. */
export function Processes({ processes }: { processes: readonly Process[] }) {
  return (
    <Panel title={words.processes} flush>
      <Table label={words.processes} columns={columns} rows={processes} keyOf={({ id }) => id} />
    </Panel>
  );
}

const cpuText = (cores: number | null) => (cores === null ? '–' : `${written(cores * 100)} %`);

const tones: Readonly<Record<Process['status'], Tone>> = {
  pass: 'good',
  warn: 'warn',
  fail: 'bad',
};

function State({ process: { state, status } }: { process: Process }) {
  if (state === 'stopped') return <Badge tone="plain">{words.states.stopped}</Badge>;
  if (state === 'silent') return <Badge tone="bad">{words.states.silent}</Badge>;
  return <Badge tone={tones[status]}>{words.statuses[status]}</Badge>;
}
