import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Answer, call, json } from '../../support/api/http.ts';

type Asked = {
  as?: string;
  /** Parameters beside `q` and `db`. */
  with?: Record<string, string>;
  headers?: Record<string, string>;
};

/** Asks statements of a database, as a form of a GET. */
export function ask(
  db: string,
  q: string,
  { as, with: more, headers }: Asked = {},
): Promise<Answer> {
  const query = new URLSearchParams({ q, ...(db === '' ? {} : { db }), ...more });
  return call('GET', `/query?${query.toString()}`, {
    ...(as === undefined ? {} : { as }),
    ...(headers === undefined ? {} : { headers }),
  });
}

const Series = Type.Object({
  name: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Record(Type.String(), Type.String())),
  columns: Type.Array(Type.String()),
  values: Type.Array(Type.Array(Type.Unknown())),
});
const InfluxAnswer = Type.Object({
  results: Type.Array(
    Type.Object({
      statement_id: Type.Number(),
      series: Type.Optional(Type.Array(Series)),
      error: Type.Optional(Type.String()),
    }),
  ),
});

/** The results of an answer. */
export function resultsIn(answer: Answer) {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return Value.Parse(InfluxAnswer, json(answer)).results;
}

/** The series of the one statement that was asked. */
export function seriesIn(answer: Answer) {
  const [result, ...others] = resultsIn(answer);
  if (result === undefined || others.length > 0) throw new Error(`not one result: ${answer.text}`);
  if (result.error !== undefined) throw new Error(result.error);
  return result.series ?? [];
}
