import type { DashboardRange, Panel } from '../../../schemas/dashboards/content.ts';
import { type Answered, joined, labelsOf, pointsOf } from '../../../schemas/dashboards/points.ts';
import {
  type Ends,
  linesOf,
  type PanelLine,
  type QuestionKind,
  questionsOf,
  rangeEnds,
  type VariableThings,
} from '../../../schemas/dashboards/questions.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { readStatePages } from '../../../schemas/messages/state-pages.ts';
import type { ReaderQuery } from '../../../schemas/messages/query.ts';
import type { SharedData } from '../../../schemas/resources/dashboard-share.ts';
import { readTime } from '../../http/query/time.ts';
import { limits } from '../../limits.ts';
import { type PageDependencies, readPage } from '../../messages/pages/page.ts';
import { findNames, findThingsOfGroup, type Shared } from './sql.ts';

/**
 * The range of a request: within that of the dashboard, whatever is asked.
 *
 * @throws DomainError `malformed` for a time outside of it.
 */
export function sharedRange(
  range: DashboardRange,
  asked: { from?: string | number; to?: string | number },
  now: number,
): Ends {
  const whole = rangeEnds(range, now);
  const timeOf = (name: 'from' | 'to') => {
    const given = asked[name];
    if (given === undefined) return whole[name];
    const time = Number(readTime(name, given) / 1_000_000n);
    // The page asks for what it was told a while ago, of a range that moves on.
    const slack = range.last === undefined ? 0 : limits.sharedSlackMs;
    if (time < whole.from - slack || time > whole.to + slack) {
      throw new DomainError('malformed', `${name} is outside of the range of the dashboard`);
    }
    return time;
  };
  const ends = { from: timeOf('from'), to: timeOf('to') };
  if (ends.from >= ends.to) throw new DomainError('malformed', 'to is not after from');
  return ends;
}

/** Reads what a panel shows to the maker of the share, and no more. */
export async function readSharedPanel(
  dependencies: PageDependencies,
  shared: Shared,
  panel: Panel,
  ends: Ends,
  signal: AbortSignal,
): Promise<SharedData['lines']> {
  // Where things are is not for whoever has a link.
  if (panel.kind === 'map') return [];
  const lines = linesOf(panel, await thingsOf(dependencies, shared));
  const read = [];
  for (const line of lines) {
    const questions = questionsOf(panel, line, ends);
    const answers = await answersTo(dependencies, shared, line, questions, signal);
    if (answers !== undefined) read.push({ line, data: pointsOf(line, questions, answers) });
  }
  const shown = read.map(({ line }) => line);
  const names = await findNames(
    dependencies.db,
    shown.map(({ thing }) => thing),
  );
  const labels = labelsOf(shown, (id) => names.get(id.toLowerCase()) ?? '');
  return read.map(({ data: { unit, points, newest, cut } }, at) => ({
    label: labels[at] ?? '',
    unit,
    points: points.map(([time, value]) => ({ time, value })),
    ...(newest === undefined ? {} : { newest: { time: newest[0], value: newest[1] } }),
    ...(cut === undefined ? {} : { cut }),
  }));
}

/** Variables have their defaults: nobody can choose another by a link. */
async function thingsOf(
  { db }: PageDependencies,
  { content, maker }: Shared,
): Promise<VariableThings> {
  const all = (content.variables ?? []).map(
    async ({ name, kind, default: id }): Promise<[string, string[]]> => {
      if (id === undefined) return [name, []];
      return [name, kind === 'thing' ? [id] : await findThingsOfGroup(db, id, maker)];
    },
  );
  return Object.fromEntries(await Promise.all(all));
}

/** Undefined where the maker may not read the thing, or it is gone. */
async function answersTo(
  dependencies: PageDependencies,
  { maker }: Shared,
  { format }: PanelLine,
  questions: readonly { is: QuestionKind; query: ReaderQuery }[],
  signal: AbortSignal,
): Promise<Answered[] | undefined> {
  const ask = async (query: ReaderQuery): Promise<Answered> => {
    const page = await readPage(dependencies, format, maker, query, signal);
    try {
      let text = '';
      let step = await page.texts.next();
      for (; step.done !== true; step = await page.texts.next()) text += step.value;
      const { total, next, usualStep } = step.value;
      const usual_step = usualStep === undefined ? undefined : Number(usualStep);
      return { messages: JSON.parse(`[${text}]`), total, next, usual_step };
    } finally {
      page.close();
    }
  };
  const answers: Answered[] = [];
  for (const { is, query } of questions) {
    try {
      const page = async (cursor?: string) =>
        ask(cursor === undefined ? query : { ...query, cursor });
      answers.push(is === 'states' ? joined(await readStatePages(page)) : await page());
    } catch (error) {
      const isRefused =
        error instanceof DomainError && (error.code === 'forbidden' || error.code === 'not_found');
      if (!isRefused) throw error;
      return undefined;
    }
  }
  return answers;
}
