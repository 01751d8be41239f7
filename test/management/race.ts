import type { Answer } from '../support/api/http.ts';

/** The statuses of requests made at once, the lowest first. */
export async function statusesOf(requests: Promise<Answer>[]): Promise<number[]> {
  const answers = await Promise.all(requests);
  return answers.map(({ status }) => status).toSorted((a, b) => a - b);
}

/** The statuses of one request made so many times at once, the lowest first. */
export function race(times: number, ask: (index: number) => Promise<Answer>): Promise<number[]> {
  return statusesOf(Array.from({ length: times }, (_, index) => ask(index)));
}

/** One winner, and the rest of so many. */
export function oneOf(times: number, winner: number, loser: number): number[] {
  return [winner, ...Array<number>(times - 1).fill(loser)];
}
