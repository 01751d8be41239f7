import { call, type Queue } from '../client/call.ts';
import { OperationsHead } from '../operations/head.tsx';
import { useLive } from '../client/use-live.ts';
import { written } from '../operations/units.ts';
import { linkTo } from '../router.ts';
import { queuesTexts } from '../texts/queues.ts';
import { Badge, Panel } from '../ui/page.tsx';
import { Loaded, Notice } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { type JobState, jobStates } from './job-states.ts';

const words = queuesTexts;

/** The queues of the workers: how many jobs they have, and how fast they go. */
export default function QueuesPage() {
  const reading = useLive('queues', (signal) => call('listQueues', {}, signal));
  return (
    <>
      <OperationsHead current="queues" />
      <Loaded reading={reading}>
        {({ queues }) => (
          <div class="stack">
            <Notice failure={reading.failure} />
            <Panel flush>
              <Table columns={columns} rows={queues} keyOf={({ name }) => name} />
            </Panel>
          </div>
        )}
      </Loaded>
    </>
  );
}

const columns: readonly Column<Queue>[] = [
  {
    head: words.queue,
    kind: 'name',
    cell: ({ name }) => (
      <>
        <a href={linkTo(`/operations/queues/${name}`)}>{words.names[name]}</a>
        <div class="small muted desk-only">{words.about[name]}</div>
      </>
    ),
  },
  { head: words.state, cell: (queue) => <QueueState queue={queue} /> },
  ...jobStates.map(
    (state): Column<Queue> => ({
      head: words.states[state],
      kind: 'number',
      isExtra: state === 'completed' || state === 'active',
      cell: (queue) => <Count queue={queue} state={state} />,
    }),
  ),
  {
    head: words.rate,
    kind: 'number',
    isExtra: true,
    cell: ({ attempts_per_minute: rate }) => <span title={words.rateText}>{written(rate)}</span>,
  },
  {
    head: words.oldest,
    kind: 'number',
    isExtra: true,
    cell: ({ oldest_waiting_seconds: seconds }) => (
      <span class="unbroken">{seconds === null ? '–' : words.lasting(seconds)}</span>
    ),
  },
];

export function QueueState({ queue }: { queue: Queue }) {
  return queue.is_paused ? (
    <Badge tone="warn">{words.paused}</Badge>
  ) : (
    <Badge tone="good">{words.running}</Badge>
  );
}

function Count({ queue: { name, counts }, state }: { queue: Queue; state: JobState }) {
  const jobs = counts[state];
  if (jobs === 0) return <span class="muted">0</span>;
  return (
    <a
      href={linkTo(`/operations/queues/${name}`, { state })}
      class={state === 'failed' ? 'bad' : ''}
      aria-label={`${words.states[state]}: ${words.number(jobs)}`}
    >
      {words.number(jobs)}
    </a>
  );
}
