import type { Panel } from '../../../../schemas/dashboards/content.ts';
import {
  type Ends,
  linesOf,
  type PanelLine,
  type QuestionKind,
  questionsOf,
  type VariableThings,
} from '../../../../schemas/dashboards/questions.ts';
import {
  type Answered,
  joined,
  type LinePoints,
  pointsOf,
} from '../../../../schemas/dashboards/points.ts';
import { readsOn } from '../../../../schemas/messages/state-pages.ts';
import { call, type Requests } from '../client/call.ts';

/** All that was read of one series of a panel, or why nothing could be, with the code of that. */
export type LineData = LinePoints & { line: PanelLine; error?: string; code?: string };
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
    const questions = asked
      .filter(({ line }) => line.format === format)
      .flatMap((one) => one.questions.map((question) => ({ one, ...question })));
    const found = await answersTo(format, questions, signal);
    for (const [i, { one }] of questions.entries()) {
      answers.set(one, [...(answers.get(one) ?? []), found[i] ?? noAnswer]);
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

const noAnswer: Answered = { messages: [], total: 0 };

/** Asks all at once, and then together for the next pages of those whose states go on. */
async function answersTo(
  format: 'senml' | 'json',
  questions: readonly { is: QuestionKind; query: Searches[number] }[],
  signal: AbortSignal,
): Promise<Answered[]> {
  const pages = questions.map((): Answered[] => []);
  let due = questions.map(({ query }, at) => ({ at, query }));
  while (due.length > 0) {
    const found = await searchAll(
      format,
      due.map(({ query }) => query),
      signal,
    );
    due = due.flatMap(({ at, query }, i) => {
      const page = found[i] ?? noAnswer;
      const read = pages[at]?.push(page) ?? 0;
      const { next: cursor } = page;
      const isPaged = questions[at]?.is === 'states';
      return isPaged && readsOn(read, cursor) ? [{ at, query: { ...query, cursor } }] : [];
    });
  }
  return pages.map(([first = noAnswer, ...rest]) => joined([first, ...rest]));
}

async function searchAll(
  format: 'senml' | 'json',
  queries: Searches,
  signal: AbortSignal,
): Promise<Answered[]> {
  const found: Answered[] = [];
  for (let at = 0; at < queries.length; at += searchesMax) {
    const part = queries.slice(at, at + searchesMax);
    const answered = await search(format, part, signal);
    found.push(...part.map((_, i) => answered[i] ?? noAnswer));
  }
  return found;
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
  questions: readonly { is: QuestionKind }[],
  answers: readonly Answered[],
): LineData {
  const { error, code } = answers.find((one) => one.error !== undefined) ?? {};
  return {
    line,
    ...pointsOf(line, questions, answers),
    ...(error === undefined ? {} : { error }),
    ...(code === undefined ? {} : { code }),
  };
}
