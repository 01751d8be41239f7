import type { Panel } from '../../../../schemas/dashboards/content.ts';
import {
  type Ends,
  linesOf,
  type PanelLine,
  questionsOf,
  type VariableThings,
} from '../../../../schemas/dashboards/questions.ts';
import { call, type Requests } from '../client/call.ts';
import { leafAt, type Value } from '../explore/leaves.ts';

/** A value at a time, in seconds; null stands in an interval without messages. */
export type PanelPoint = readonly [time: number, value: Value | null];

/** All that was read of one series of a panel. */
export type LineData = {
  line: PanelLine;
  unit: string;
  points: readonly PanelPoint[];
  newest?: PanelPoint;
  /** Why nothing could be read of it. */
  error?: string;
};
export type PanelData = readonly LineData[];

/** A message as either format answers it. */
type Message = {
  time?: number;
  created?: number;
  unit?: string;
  payload?: unknown;
  value?: number | null;
  string_value?: string;
  bool_value?: boolean;
};
type Answered = { messages: readonly Message[]; error?: string };

type Searches = Extract<NonNullable<Requests['searchMessages_senml']['body']>, readonly unknown[]>;

/** Searches that one request has at most. */
const searchesMax = 100;

/** Reads what several panels show, in as few requests as the API lets one. */
export async function readPanels(
  panels: readonly Panel[],
  variables: VariableThings,
  ends: Ends,
  signal: AbortSignal,
): Promise<Map<string, PanelData>> {
  const asked = panels.flatMap((panel) =>
    linesOf(panel, variables).map((line) => ({
      panel: panel.id,
      line,
      questions: questionsOf(panel, line, ends),
    })),
  );
  const answers = new Map<(typeof asked)[number], Answered[]>();
  for (const format of ['senml', 'json'] as const) {
    const queries = asked
      .filter(({ line }) => line.format === format)
      .flatMap((one) => one.questions.map(({ query }) => ({ one, query })));
    for (let at = 0; at < queries.length; at += searchesMax) {
      const part = queries.slice(at, at + searchesMax);
      const found = await search(
        format,
        part.map(({ query }) => query),
        signal,
      );
      for (const [i, { one }] of part.entries()) {
        answers.set(one, [...(answers.get(one) ?? []), found[i] ?? { messages: [] }]);
      }
    }
  }
  return new Map(
    panels.map(({ id }) => [
      id,
      asked
        .filter(({ panel }) => panel === id)
        .map((one) => dataOf(one.line, one.questions, answers.get(one) ?? [])),
    ]),
  );
}

async function search(
  format: 'senml' | 'json',
  body: Searches,
  signal: AbortSignal,
): Promise<readonly Answered[]> {
  const name = format === 'senml' ? 'searchMessages_senml' : 'searchMessages_json';
  const found: unknown = await call(name, { body }, signal);
  return Array.isArray(found) ? found : [];
}

/** The answers to the questions of one series, as they are drawn. */
function dataOf(
  line: PanelLine,
  questions: readonly { is: 'values' | 'newest' }[],
  answers: readonly Answered[],
): LineData {
  const points = pointsOf(line, answers[questions.findIndex(({ is }) => is === 'values')]);
  const newest = pointsOf(line, answers[questions.findIndex(({ is }) => is === 'newest')])[0];
  const unit = answers
    .flatMap(({ messages }) => messages)
    .findLast((message) => message.unit !== undefined)?.unit;
  const error = answers.find((one) => one.error !== undefined)?.error;
  return {
    line,
    unit: unit ?? '',
    // The newest come first where there are states, which nothing thins out.
    points: points.toSorted(([a], [b]) => a - b),
    ...(newest === undefined ? {} : { newest }),
    ...(error === undefined ? {} : { error }),
  };
}

function pointsOf({ format, name }: PanelLine, answered: Answered | undefined): PanelPoint[] {
  return (answered?.messages ?? []).map((message) =>
    format === 'senml'
      ? [message.time ?? 0, message.value ?? message.string_value ?? message.bool_value ?? null]
      : [(message.created ?? 0) / 1e9, leafAt(message.payload, name)],
  );
}
