import { useState } from 'preact/hooks';
import type { Queue } from '../client/call.ts';
import { queuesTexts } from '../texts/queues.ts';
import { Button } from '../ui/button.tsx';
import { Question } from '../ui/dialog.tsx';
import { say } from '../ui/toasts.tsx';
import type { QueueName } from './job-states.ts';

const words = queuesTexts;

/** Pauses a queue, or lets it go on. */
export function PauseButton({
  queue: { name, is_paused: isPaused },
  again,
}: {
  queue: Queue;
  again: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const title = isPaused ? words.resumeTitle : words.pauseTitle;
  return (
    <>
      <Button icon={isPaused ? 'play' : 'pause'} onClick={() => setAsking(true)}>
        {isPaused ? words.resume : words.pause}
      </Button>
      {isAsking && (
        <Question
          operation="changeQueue"
          request={() => ({ path: { name }, body: { is_paused: !isPaused } })}
          title={title(words.names[name])}
          text={isPaused ? words.resumeText : words.pauseText}
          action={isPaused ? words.resume : words.pause}
          kind={isPaused ? 'primary' : 'danger'}
          onDone={() => {
            say(isPaused ? words.resumedNow : words.pausedNow);
            again();
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

/** Actions on all failed jobs at once. */
export function FailedActions({
  name,
  jobs,
  again,
}: {
  name: QueueName;
  jobs: number;
  again: () => void;
}) {
  const [asked, setAsked] = useState<'retry' | 'remove'>();
  const close = () => setAsked(undefined);
  const request = () => ({ path: { name } });
  return (
    <>
      <Button icon="again" onClick={() => setAsked('retry')}>
        {words.retryAll(jobs)}
      </Button>
      <Button kind="danger" onClick={() => setAsked('remove')}>
        {words.removeAll}
      </Button>
      {asked === 'retry' && (
        <Question
          operation="retryFailedJobs"
          request={request}
          title={words.retryAllTitle(jobs)}
          text={words.retryAllText(jobs)}
          action={words.retry}
          kind="primary"
          onDone={(done) => {
            say(words.retriedAll(done.jobs));
            again();
          }}
          onClose={close}
        />
      )}
      {asked === 'remove' && (
        <Question
          operation="removeFailedJobs"
          request={request}
          title={words.removeAllTitle}
          text={words.removeAllText(jobs)}
          action={words.removeAll}
          onDone={(done) => {
            say(words.removedAll(done.jobs));
            again();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
