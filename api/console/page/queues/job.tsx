import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call, type QueueJob } from '../client/call.ts';
import { linkTo } from '../router.ts';
import { queuesTexts } from '../texts/queues.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, Question } from '../ui/dialog.tsx';
import { useAction } from '../ui/form.tsx';
import { Notice } from '../ui/states.tsx';
import { At } from '../ui/time.tsx';
import { say } from '../ui/toasts.tsx';
import type { QueueName } from './job-states.ts';

const words = queuesTexts;

/** A job in a line: whose messages go where, or which mail to whom. */
export function JobTitle({ job }: { job: QueueJob }) {
  const { deliveries, things = [], webhooks = [], to, subject, id } = job;
  if (subject !== undefined) {
    return (
      <span class="cut" title={subject}>
        <bdi>{subject}</bdi> → <bdi>{to}</bdi>
      </span>
    );
  }
  const [thing] = things;
  const [webhook] = webhooks;
  if (webhook === undefined) return <bdi class="cut mono small">{id}</bdi>;
  return (
    <span class="cut" title={`${thing?.name ?? words.noThing} → ${webhook.name}`}>
      <bdi>{thing?.name ?? words.noThing}</bdi> → <bdi>{webhook.name}</bdi>{' '}
      <bdi class="small muted">{webhook.origin}</bdi>
      {(deliveries ?? 1) > 1 && (
        <div class="small muted">{words.deliveriesOf(deliveries ?? 1)}</div>
      )}
    </span>
  );
}

/** All that is known of a job, with what can be done with it. */
export function JobDialog({
  name,
  job,
  again,
  onClose,
}: {
  name: QueueName;
  job: QueueJob;
  again: () => void;
  onClose: () => void;
}) {
  const { failure, isBusy, run } = useAction();
  const [isAsking, setAsking] = useState(false);
  const path = { name, job: job.id };
  const finish = (text: string) => {
    say(text);
    again();
    onClose();
  };
  const act = (operation: 'retryQueueJob' | 'promoteQueueJob', text: string) =>
    void run(() => call(operation, { path })).then((isDone) => isDone && finish(text));
  return (
    <Dialog title={words.job} onClose={onClose}>
      <Facts job={job} />
      <Notice failure={failure} />
      <div class="actions">
        {job.state !== 'active' && (
          <Button kind="danger" onClick={() => setAsking(true)}>
            {words.remove}
          </Button>
        )}
        {job.state === 'failed' && (
          <Button disabled={isBusy} onClick={() => act('retryQueueJob', words.retried)}>
            {words.retry}
          </Button>
        )}
        {job.state === 'delayed' && (
          <Button disabled={isBusy} onClick={() => act('promoteQueueJob', words.promoted)}>
            {words.promote}
          </Button>
        )}
        <Button onClick={onClose}>{shellTexts.close}</Button>
      </div>
      {isAsking && (
        <Question
          operation="removeQueueJob"
          request={() => ({ path })}
          title={words.removeTitle}
          text={words.removeText}
          action={words.remove}
          onDone={() => finish(words.removed)}
          onClose={() => setAsking(false)}
        />
      )}
    </Dialog>
  );
}

function Facts({ job }: { job: QueueJob }) {
  const { things = [], webhooks = [], deliveries } = job;
  const at = (time: string | undefined) => time !== undefined && <At time={time} />;
  const facts: [string, ComponentChildren][] = [
    [words.state, words.states[job.state]],
    [words.attempts, words.attemptsOf(job.attempts, job.attempts_max)],
    [words.error, job.error !== undefined && <bdi>{job.error}</bdi>],
    [words.subject, job.subject !== undefined && <bdi>{job.subject}</bdi>],
    [words.to, job.to !== undefined && <bdi>{job.to}</bdi>],
    [words.things, things.length > 0 && <Links list={things} at="/things/" />],
    [words.webhooks, webhooks.length > 0 && <Links list={webhooks} at="/webhooks/" />],
    [words.holds, deliveries !== undefined && words.deliveriesOf(deliveries)],
    [words.queued, at(job.queued_at)],
    [words.due, at(job.due_at)],
    [words.started, at(job.started_at)],
    [words.ended, at(job.ended_at)],
    [words.id, <span class="mono small">{job.id}</span>],
  ];
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value !== false && [
            <dt key={`${name} name`}>{name}</dt>,
            <dd key={name} class="break">
              {value}
            </dd>,
          ],
      )}
    </dl>
  );
}

function Links({ list, at }: { list: { id: string; name: string }[]; at: string }) {
  return (
    <>
      {list.map(({ id, name }) => (
        <div key={id}>
          <a href={linkTo(`${at}${id}`)}>
            <bdi>{name}</bdi>
          </a>
        </div>
      ))}
    </>
  );
}
