import type { Panel } from '../../../../schemas/dashboards/content.ts';
import {
  type Ends,
  linesOf,
  type PanelLine,
  questionsOf,
  type VariableThings,
} from '../../../../schemas/dashboards/questions.ts';
import { type Answered, type LinePoints, pointsOf } from '../../../../schemas/dashboards/points.ts';
import { call, type Requests } from '../client/call.ts';

/** All that was read of one series of a panel, or why nothing could be. */
export type LineData = LinePoints & { line: PanelLine; error?: string };
export type PanelData = readonly LineData[];

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

function dataOf(
  line: PanelLine,
  questions: readonly { is: 'values' | 'newest' }[],
  answers: readonly Answered[],
): LineData {
  const error = answers.find((one) => one.error !== undefined)?.error;
  return {
    line,
    ...pointsOf(line, questions, answers),
    ...(error === undefined ? {} : { error }),
  };
}
