import type { Operations } from '../client/call.ts';
import { operationsTexts } from '../texts/operations.ts';
import { Badge, Panel, type Tone } from '../ui/page.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { withUnit, written } from './units.ts';

type Process = Operations['processes'][number];

const words = operationsTexts;

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
  { head: words.health, cell: ({ health = [] }) => <Strip health={health} /> },
  { head: words.cpu, kind: 'number', cell: ({ cpu_cores: cpu }) => cpuText(cpu) },
  {
    head: words.memory,
    kind: 'number',
    cell: ({ memory_bytes: bytes }) => withUnit('bytes', bytes),
  },
  {
    head: words.started,
    cell: ({ started_at: time }) => (
      <span class="unbroken">
        <Ago time={time} />
      </span>
    ),
  },
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

type Health = NonNullable<Process['health']>;

const cells = 40;
const worst = ['fail', 'warn', 'pass'] as const;

/** Its health over the range: each bar is the worst of some intervals. */
function Strip({ health }: { health: Health }) {
  const each = Math.max(1, Math.ceil(health.length / cells));
  const bars = Array.from({ length: Math.ceil(health.length / each) }, (_, at) => {
    const some = health.slice(at * each, (at + 1) * each);
    return worst.find((status) => some.includes(status)) ?? 'none';
  });
  const heard = health.filter((status) => status !== null);
  const well = heard.filter((status) => status === 'pass').length;
  const label = heard.length === 0 ? words.unheard : words.healthy(well / heard.length);
  return (
    <svg class="strip" viewBox={`0 0 ${cells * 3} 16`} role="img" aria-label={label}>
      <title>{label}</title>
      {bars.map((bar, at) => (
        <rect
          key={at}
          data-health={bar}
          x={at * 3}
          y={bar === 'none' ? 14 : 0}
          width="2.5"
          height={bar === 'none' ? 2 : 16}
          rx="1"
        />
      ))}
    </svg>
  );
}

const cpuText = (cores: number | null) => (cores === null ? '–' : `${written(cores * 100)} %`);

const tones: Readonly<Record<Process['status'], Tone>> = {
  pass: 'good',
  warn: 'warn',
  fail: 'bad',
};

function State({ process: { state, status, seen_at: seenAt } }: { process: Process }) {
  if (state === 'running') return <Badge tone={tones[status]}>{words.statuses[status]}</Badge>;
  return (
    <>
      <Badge tone={state === 'stopped' ? 'plain' : 'bad'}>{words.states[state]}</Badge>
      <div class="small muted unbroken">
        <Ago time={seenAt} />
      </div>
    </>
  );
}
