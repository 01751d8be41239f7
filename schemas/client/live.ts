import { setTimeout as delay } from 'node:timers/promises';
import { AnswerError } from './errors.ts';
import type { Answers } from './generated/types.ts';
import { readEvents } from './server-sent-events.ts';
import { having, type Shape } from './shape.ts';
import { type Answer, type Ask, originOf, type Transport } from './transport.ts';
import { isPassing, waitBefore, waitMsFirst, waitMsMax } from './waiting.ts';

export type MessageFormat = 'senml' | 'json';

type SenmlMessage = Answers['readMessages_senml']['messages'][number];
type JsonMessage = Answers['readMessages_json']['messages'][number];

/** One that was sent: only an aggregate may lack these. */
type Sent<Message extends { publisher?: string; protocol?: string }> = Message & {
  publisher: string;
  protocol: string;
};
export type LiveMessageOf = { senml: Sent<SenmlMessage>; json: Sent<JsonMessage> };

export type FollowOptions = {
  signal?: AbortSignal;
  onOpen?: () => void;
  onLost?: (error: unknown, waitMs: number) => void;
};

/** Messages as they are stored, by the request that follows them. */
export function follow<Format extends MessageFormat>(
  transport: Transport,
  ask: Ask,
  options: FollowOptions,
): AsyncGenerator<LiveMessageOf[Format]> {
  return followEvents(transport, ask, having<LiveMessageOf[Format]>('publisher'), options);
}

/** Alarms as they change. */
export function followAlarms(
  transport: Transport,
  ask: Ask,
  options: FollowOptions,
): AsyncGenerator<Answers['viewAlarm']> {
  return followEvents(transport, ask, having<Answers['viewAlarm']>('fired_at'), options);
}

async function* followEvents<Event extends object>(
  transport: Transport,
  ask: Ask,
  shape: Shape<Event>,
  { signal, onOpen, onLost }: FollowOptions,
): AsyncGenerator<Event> {
  const isStopped = () => signal?.aborted === true;
  let lastId = '';
  let firstWaitMs = waitMsFirst;
  for (let failures = 0, opened = false; ; ) {
    let lost: unknown = new Error('the server ended the stream');
    try {
      const answer = await openEvents(transport, ask, lastId, signal);
      opened = true;
      onOpen?.();
      for await (const event of readEvents(answer.body)) {
        failures = 0;
        if (event.kind === 'retry') {
          firstWaitMs = Math.min(event.waitMs, waitMsMax);
          continue;
        }
        lastId = event.id;
        if (event.kind === 'position') continue;
        yield transport.read(ask.url, event.data, shape);
      }
    } catch (error) {
      if (isStopped()) return;
      if (!opened || !isPassing(error)) throw error;
      lost = error;
    }
    if (isStopped()) return;
    const waitMs = waitBefore(failures++, firstWaitMs, lost);
    onLost?.(lost, waitMs);
    await delay(waitMs, undefined, signal === undefined ? {} : { signal }).catch(() => {});
    if (isStopped()) return;
  }
}

async function openEvents(
  transport: Transport,
  ask: Ask,
  lastId: string,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const headers = {
    accept: 'text/event-stream',
    ...(lastId === '' ? {} : { 'last-event-id': lastId }),
  };
  // Who follows asks again by itself.
  const answer = await transport.open({ ...ask, headers, signal, reads: false });
  const type = String(answer.headers['content-type']);
  if (type.startsWith('text/event-stream')) return answer;
  await answer.body.dump();
  throw new AnswerError(originOf(ask.url), `with ${type} where a stream of events was expected`);
}
