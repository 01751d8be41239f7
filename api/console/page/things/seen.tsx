import { call, type Thing } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { isVisible } from '../client/visible.ts';

import { Ago } from '../ui/time.tsx';
import { type Came, isoOf } from './latest-values.ts';
import { thingsTexts } from '../texts/things.ts';

/** When a thing was last heard of, and where: how its newest message came, and under which subtopic. */
export type Seen = { at: string | null; protocol?: string; subtopic?: string };

/** By what the API knows, and by what came while one looks. */
export function useSeen(thing: Thing, came: Came): Seen {
  // Read again when somebody comes back: nothing was followed meanwhile.
  const reading = useRead(`${thing.id} ${isVisible.value}`, async (signal) => {
    const query = { publisher: thing.id, limit: 1 };
    const [senml, json] = await Promise.all([
      call('readMessages_senml', { query }, signal),
      call('readMessages_json', { query }, signal),
    ]);
    const [record, payload] = [senml.messages[0], json.messages[0]];
    const [sentAt, createdAt] = [record?.time ?? 0, (payload?.created ?? 0) / 1e9];
    const isRecord = sentAt >= createdAt;
    const message = isRecord ? record : payload;
    return message && { message, time: isoOf(isRecord ? sentAt : createdAt) };
  });
  const newest = [...came.values()].toSorted((one, other) => (one.seenAt < other.seenAt ? 1 : -1));
  const [last] = newest;
  const { protocol, subtopic } = last?.message ?? reading.value?.message ?? {};
  return {
    // The API knows some seconds late when a thing was heard first: its message is there sooner.
    at: last?.seenAt ?? thing.last_seen ?? reading.value?.time ?? null,
    ...(protocol === undefined ? {} : { protocol }),
    ...(subtopic === undefined ? {} : { subtopic }),
  };
}

/** `3 min. ago over http, subtopic plant.north`. */
export function SeenAt({ seen: { at, protocol, subtopic } }: { seen: Seen }) {
  const things = thingsTexts;
  return (
    <span class="cut">
      <Ago time={at} />
      {protocol !== undefined && <bdi> {things.over(protocol)}</bdi>}
      {subtopic !== undefined && (
        <>
          {things.underSubtopic}
          <bdi class="mono" title={subtopic}>
            {subtopic}
          </bdi>
        </>
      )}
    </span>
  );
}
