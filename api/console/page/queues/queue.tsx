import { useState } from 'preact/hooks';
import { call, type Queue, type QueueJob } from '../client/call.ts';
import { useLive } from '../client/use-live.ts';
import { address, choose, linkTo, type PageProps } from '../router.ts';
import { operationsTexts } from '../texts/operations.ts';
import { queuesTexts } from '../texts/queues.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { PageHead, Panel, Tabs } from '../ui/page.tsx';
import { Empty, Loaded, Notice } from '../ui/states.tsx';
import { type Column, pageLimit, Table } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { FailedActions, PauseButton } from './actions.tsx';
import { JobDialog, JobTitle } from './job.tsx';
import { type JobState, jobStates, type QueueName, timeIn } from './job-states.ts';
import { QueueState } from './list.tsx';

const words = queuesTexts;

const nameOf = (text: string | undefined): QueueName | undefined =>
  text === 'webhooks' || text === 'mail' ? text : undefined;

/** One queue, with its jobs by their state. */
export default function QueuePage({ parameters }: PageProps) {
  const name = nameOf(parameters['name']);
  if (name === undefined)
    return <Empty title={shellTexts.notFound} text={shellTexts.notFoundText} />;
  return <OfQueue name={name} />;
}

function OfQueue({ name }: { name: QueueName }) {
  const state = jobStates.find((one) => one === address.value.query['state']) ?? 'failed';
  const queue = useLive(name, (signal) => call('viewQueue', { path: { name } }, signal));
  return (
    <>
      <PageHead
        title={words.names[name]}
        trail={[
          { text: operationsTexts.title, href: linkTo('/operations') },
          { text: words.title, href: linkTo('/operations/queues') },
        ]}
      >
        {queue.value !== undefined && (
          <>
            <QueueState queue={queue.value} />
            <PauseButton queue={queue.value} again={queue.again} />
          </>
        )}
      </PageHead>
      <Loaded reading={queue}>
        {(value) => (
          <>
            <Notice failure={queue.failure} />
            {value.is_paused && (
              <p class="notice" data-tone="warn" role="status">
                {words.pausedNotice}
              </p>
            )}
            <States queue={value} state={state} />
            <Jobs key={state} name={name} state={state} again={queue.again} />
          </>
        )}
      </Loaded>
    </>
  );
}

function States({ queue: { name, counts }, state }: { queue: Queue; state: JobState }) {
  return (
    <Tabs
      label={words.state}
      current={state}
      tabs={jobStates.map((id) => ({
        id,
        text: `${words.states[id]} ${words.number(counts[id])}`,
        href: linkTo(`/operations/queues/${name}`, { state: id }),
      }))}
    />
  );
}

function Jobs({ name, state, again }: { name: QueueName; state: JobState; again: () => void }) {
  const { cursor = '' } = address.value.query;
  const [shown, setShown] = useState<QueueJob>();
  const query = { state, limit: pageLimit, ...(cursor === '' ? {} : { cursor }) };
  const reading = useLive(`${name} ${state} ${cursor}`, (signal) =>
    call('listQueueJobs', { path: { name }, query }, signal),
  );
  const changed = () => {
    reading.again();
    again();
  };
  const total = reading.value?.total ?? 0;
  return (
    <Panel
      title={words.total(total)}
      flush
      actions={
        <>
          {state === 'failed' && total > 0 && (
            <FailedActions name={name} jobs={total} again={changed} />
          )}
          <Button kind="quiet" icon="again" label={words.readAgain} onClick={changed} />
        </>
      }
    >
      <Loaded reading={reading}>
        {({ jobs, next }) =>
          jobs.length === 0 ? (
            <Empty title={words.none} text={words.statesText[state]} />
          ) : (
            <>
              <p class="explained small muted">{words.statesText[state]}</p>
              <Table
                columns={columnsOf(state, setShown)}
                rows={jobs}
                keyOf={({ id }) => id}
                label={words.jobs(words.states[state])}
              />
              <CursorPager cursor={cursor} next={next} />
            </>
          )
        }
      </Loaded>
      {shown !== undefined && (
        <JobDialog name={name} job={shown} again={changed} onClose={() => setShown(undefined)} />
      )}
    </Panel>
  );
}

function CursorPager({ cursor, next }: { cursor: string; next: string | undefined }) {
  if (cursor === '' && next === undefined) return null;
  const { path, query } = address.value;
  return (
    <div class="pager">
      <Button disabled={cursor === ''} onClick={() => choose({ cursor: undefined })}>
        {words.first}
      </Button>
      {next !== undefined && (
        <ButtonLink icon="right" href={linkTo(path, { ...query, cursor: next })}>
          {words.next}
        </ButtonLink>
      )}
    </div>
  );
}

function columnsOf(state: JobState, show: (job: QueueJob) => void): readonly Column<QueueJob>[] {
  return [
    {
      head: words.job,
      kind: 'name',
      cell: (job) => (
        <>
          <JobTitle job={job} />
          <div class="phone-only small muted">
            {words.whenOf[state]}: <Ago time={timeIn(job)} />
            {job.error !== undefined && <bdi class="cut job-error">{job.error}</bdi>}
          </div>
        </>
      ),
    },
    {
      head: words.attempts,
      kind: 'number',
      cell: ({ attempts, attempts_max: most }) => (
        <span class="unbroken">{words.attemptsOf(attempts, most)}</span>
      ),
    },
    {
      head: words.error,
      isExtra: true,
      cell: ({ error }) =>
        error === undefined ? (
          <span class="muted">–</span>
        ) : (
          <bdi class="cut small job-error" title={error}>
            {error}
          </bdi>
        ),
    },
    {
      head: words.whenOf[state],
      isExtra: true,
      cell: (job) => (
        <span class="unbroken">
          <Ago time={timeIn(job)} />
        </span>
      ),
    },
    {
      head: words.details,
      cell: (job) => (
        <Button kind="quiet" icon="eye" label={words.show(job.id)} onClick={() => show(job)} />
      ),
    },
  ];
}
