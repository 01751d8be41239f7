import { useEffect, useState } from 'preact/hooks';
import { call, type NextMessage, type Thing } from '../client/call.ts';
import { type Failure, failureOf } from '../client/failure.ts';
import { profileTexts } from '../texts/profile.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/states.tsx';
import { At } from '../ui/time.tsx';

const words = profileTexts.next;

/** Whether all of a message is there as text. */
export const isWholeText = ({ encoding, bytes, body }: NextMessage): boolean =>
  encoding === 'text' && new TextEncoder().encode(body).length === bytes;

/** Waits for what a thing sends next, until that comes or one stops, and says how it came. */
export function TakeNext(props: {
  thing: Thing;
  came: NextMessage | undefined;
  onMessage: (message: NextMessage) => void;
}) {
  const { thing, came, onMessage } = props;
  const [isWaiting, setWaiting] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  useEffect(() => {
    if (!isWaiting) return undefined;
    setFailure(undefined);
    const controller = new AbortController();
    const end = (act: () => void) => {
      if (controller.signal.aborted) return;
      setWaiting(false);
      act();
    };
    nextOf(thing.id, controller.signal).then(
      (message) => end(() => onMessage(message)),
      (error: unknown) => end(() => setFailure(failureOf(error))),
    );
    return () => controller.abort();
  }, [isWaiting]);
  return (
    <>
      <div class="row">
        <Button onClick={() => setWaiting(!isWaiting)}>
          {isWaiting ? words.stop : words.take}
        </Button>
        <span class="muted small break" role="status">
          {isWaiting && words.waiting(thing.name.slice(0, 80))}
          {!isWaiting && came !== undefined && <Came message={came} />}
        </span>
      </div>
      <Notice failure={failure} />
    </>
  );
}

/** One request waits for half a minute at most. */
async function nextOf(id: string, signal: AbortSignal): Promise<NextMessage> {
  for (;;) {
    const { message } = await call('awaitNextMessage', { path: { id } }, signal);
    if (message !== null) return message;
  }
}

function Came({ message }: { message: NextMessage }) {
  const { accepted, refused, encoding } = message;
  return (
    <>
      <At time={message.received_at} /> {words.how(message)}{' '}
      {accepted && (refused === undefined ? words.accepted : words.partly(refused.error))}
      {!accepted && refused !== undefined && words.refused(refused.status, refused.error)}
      {encoding === 'base64' && ` ${words.noText}`}
      {encoding === 'text' && !isWholeText(message) && ` ${words.cut}`}
    </>
  );
}
