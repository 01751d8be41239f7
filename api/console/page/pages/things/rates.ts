import { call, type Thing } from '../../client/call.ts';
import { useRead } from '../../client/use-read.ts';

const hourMs = 3_600_000;

/** How many SenML records and JSON messages each thing sent in the last hour. Undefined while that is read. */
export type Rates = (thing: Thing) => number | undefined;

/** Of a page of things, in one question for each format: only those that were heard of are asked about. */
export function useRates(things: readonly Thing[]): Rates {
  const sinceMs = Date.now() - hourMs;
  const heard = things.filter(({ last_seen: seen }) => seen !== null && Date.parse(seen) > sinceMs);
  const isHeard = new Set(heard.map(({ id }) => id));
  const key = heard.length === 0 ? undefined : [...isHeard].join();
  const { value } = useRead(key, async (signal) => {
    const body = heard.map(({ id }) => ({ publisher: id, from: `${sinceMs}000000`, limit: 1 }));
    const [records, messages] = await Promise.all([
      call('searchMessages_senml', { body }, signal),
      call('searchMessages_json', { body }, signal),
    ]);
    const totals = (answer: typeof records | typeof messages) =>
      Array.isArray(answer) ? answer.map(({ total }) => total) : [];
    const [ofSenml, ofJson] = [totals(records), totals(messages)];
    return new Map(heard.map(({ id }, at) => [id, (ofSenml[at] ?? 0) + (ofJson[at] ?? 0)]));
  });
  return ({ id }) => (isHeard.has(id) ? value?.get(id) : 0);
}
