import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../schemas/http/errors.ts';
import { csvAnswer } from './csv.ts';
import { jsonAnswer } from './json.ts';
import { prettyJson } from './pretty.ts';
import type { Result, Row } from './result.ts';
import { timeText } from './times.ts';

const cpu = { name: 'cpu', tags: [['host', 'a']], columns: ['time', 'value'] } as const;
const other = { ...cpu, tags: [['host', 'b']] } as const;
const rows: Row[] = [
  { series: cpu, time: 1_600_000_000_000_000_001n, values: '[1.5]' },
  { series: cpu, time: 1_600_000_001_000_000_000n, values: '[null]' },
  { series: other, time: -1n, values: '["=1+1"]' },
];

async function* resultsOf(...all: (Row[] | DomainError)[]): AsyncGenerator<Result> {
  for (const [statement, one] of all.entries()) {
    yield {
      statement,
      batches: (async function* (): AsyncGenerator<Row[]> {
        if (one instanceof DomainError) throw one;
        // In two batches, and one that is empty.
        yield one.slice(0, 1);
        yield [];
        yield one.slice(1);
      })(),
    };
  }
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

const whole = { epoch: '', chunkRows: undefined };
const failed = new DomainError('malformed', 'undefined function foo()');

describe('an answer as JSON', () => {
  it('has the members of InfluxDB’s, in its order', async () => {
    expect(await textOf(jsonAnswer(resultsOf(rows, [], failed), whole))).toBe(
      '{"results":[{"statement_id":0,"series":[' +
        '{"name":"cpu","tags":{"host":"a"},"columns":["time","value"],"values":' +
        '[["2020-09-13T12:26:40.000000001Z",1.5],["2020-09-13T12:26:41Z",null]]},' +
        '{"name":"cpu","tags":{"host":"b"},"columns":["time","value"],"values":' +
        '[["1969-12-31T23:59:59.999999999Z","=1+1"]]}]},' +
        '{"statement_id":1},{"statement_id":2,"error":"undefined function foo()"}]}\n',
    );
  });

  it('of no statement has no result', async () => {
    expect(await textOf(jsonAnswer(resultsOf(), whole))).toBe('{"results":[]}\n');
  });

  it('says in each part whether its series, and its statement, go on', async () => {
    const lines = (await textOf(jsonAnswer(resultsOf(rows), { epoch: 's', chunkRows: 1 }))).split(
      '\n',
    );
    expect(lines.slice(0, -1).map((line): unknown => JSON.parse(line))).toMatchObject([
      { results: [{ partial: true, series: [{ partial: true, values: [[1_600_000_000, 1.5]] }] }] },
      { results: [{ partial: true, series: [{ values: [[1_600_000_001, null]] }] }] },
      { results: [{ series: [{ tags: { host: 'b' }, values: [[0, '=1+1']] }] }] },
    ]);
    expect(lines[1]?.match(/partial/g)).toHaveLength(1);
    expect(lines[2]).not.toContain('partial');
  });

  it('is indented without a change of its values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.nat(20), async (text, cut) => {
        const compact = JSON.stringify(JSON.parse(text));
        async function* pieces(): AsyncGenerator<string> {
          // Pieces end between tokens.
          const tokens = compact.match(/"(?:[^"\\]|\\.)*":?|[[\]{},]|[^"[\]{},]+/g) ?? [];
          yield tokens.slice(0, cut).join('');
          yield tokens.slice(cut).join('');
        }
        const indented = await textOf(prettyJson(pieces()));
        expect(indented).toBe(JSON.stringify(JSON.parse(compact), null, 4));
      }),
    );
  });
});

it('an answer as CSV has a line of names for each statement, times in nanoseconds, and no formula', async () => {
  expect(await textOf(csvAnswer(resultsOf(rows, [], rows.slice(1, 2)), whole))).toBe(
    'name,tags,time,value\ncpu,host=a,1600000000000000001,1.5\ncpu,host=a,1600000001000000000,\n' +
      "cpu,host=b,-1,'=1+1\n" +
      '\nname,tags,time,value\ncpu,host=a,1600000001000000000,\n',
  );
  expect(await textOf(csvAnswer(resultsOf(failed), whole))).toBe(
    'error\nundefined function foo()\n',
  );
});

it.each([
  ['', '2020-09-13T12:26:40.12Z'],
  ['ns', '1600000000120000000'],
  ['u', '1600000000120000'],
  ['µ', '1600000000120000'],
  ['ms', '1600000000120'],
  ['s', '1600000000'],
  ['m', '26666666'],
  ['h', '444444'],
  ['fortnight', '1600000000120000000'],
])('with epoch “%s” a time is %s', (epoch, text) => {
  expect(timeText(1_600_000_000_120_000_000n, epoch)).toBe(text);
});
