import type { Fleet, Thing } from '../fleet.ts';
import { eventually } from '../eventually.ts';

/** Numbered messages over several connections, and what became of each. */
export type Numbered = {
  acknowledged: Set<number>;
  sent: Set<number>;
  /** Ends the sending, and waits for what is under way. */
  stop(): Promise<void>;
};

const recordsPerMessage = 3;
const firstSecond = 1_600_000_000;

/**
 * Sends messages of three numbered records until told to stop: every other connection in line protocol, each record in a
 * series of its own. A number is sent once: what fails is
 * never sent again, so whatever is stored twice was stored twice by us.
 */
export function sendNumbered(fleet: Fleet, thing: Thing, connections: number): Numbered {
  const acknowledged = new Set<number>();
  const sent = new Set<number>();
  let next = 0;
  let stopping = false;

  async function send(_: unknown, connection: number): Promise<void> {
    const isLines = connection % 2 === 1;
    while (!stopping) {
      const numbers = Array.from({ length: recordsPerMessage }, () => next++);
      for (const number of numbers) sent.add(number);
      try {
        const { status } = isLines
          ? await fleet.write(thing.key, numbers.map(lineOf).join('\n'), 's')
          : await fleet.publish(thing.key, numbers.map(recordOf));
        if (status === (isLines ? 204 : 202))
          for (const number of numbers) acknowledged.add(number);
        else if (status !== 503) throw new Error(`a good message was answered ${status}`);
      } catch (error) {
        // The edge was killed under this request: nobody knows what became of it.
        const isNetwork = error instanceof Error && 'code' in error;
        if (!isNetwork) throw error;
      }
    }
  }

  const senders = Array.from({ length: connections }, send);
  return {
    acknowledged,
    sent,
    async stop() {
      stopping = true;
      await Promise.all(senders);
    },
  };
}

const recordOf = (number: number) => ({ n: 'number', t: firstSecond + number, v: number });

const lineOf = (number: number) =>
  `number,place=${number % 7} value=${number} ${firstSecond + number}`;

/** What is wrong with what is stored: nothing, if the promise was kept. */
type Findings = { lost: number[]; twice: number[]; invented: number[] };

/** Waits until every acknowledged number can be read, then holds the store against what was sent. */
export async function judge(
  fleet: Fleet,
  thing: Thing,
  { acknowledged, sent }: Numbered,
  timeoutMs: number,
): Promise<Findings> {
  await eventually(async () => (await fleet.stored(thing.id)) >= acknowledged.size, timeoutMs);
  const once = new Set<number>();
  const twice: number[] = [];
  for (const { value = Number.NaN } of await fleet.readSenml(thing.id)) {
    if (once.has(value)) twice.push(value);
    once.add(value);
  }
  return {
    lost: [...acknowledged].filter((number) => !once.has(number)),
    twice,
    invented: [...once].filter((number) => !sent.has(number)),
  };
}
