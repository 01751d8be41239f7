import { expect, it } from 'vitest';
import { parseLine, renderLine, saysNothing } from './lines.ts';

function render(line: string): string {
  return renderLine('ingest', parseLine(line), 0, process.stdout).slice('HH:MM:SS '.length);
}

it('a pino line is shown as words and fields', () => {
  const fields = {
    name: 'ingest',
    pid: 1,
    reason: 'no room',
    bytes: 5,
    file: '/a/b',
    part: { n: 1 },
  };
  const line = JSON.stringify({ level: 40, time: 0, ...fields, msg: 'the log is full' });
  expect(render(line)).toBe(
    'ingest     warn  the log is full reason="no room" bytes=5 file=/a/b part={"n":1}',
  );
});

it('a failure shows its message, and below it where it came from', () => {
  const error = { type: 'Error', message: 'boom', stack: 'Error: boom\n    at f (a.ts:1:2)' };
  expect(render(JSON.stringify({ level: 50, time: 0, error, msg: 'failed' }))).toMatch(
    /^ingest {5}error failed error=boom\n\S+ ingest {9}at f \(a\.ts:1:2\)$/,
  );
});

it.each(['plain text', '{not json', '{"a":1}', '{"level":31,"time":1,"msg":"x"}', 'null'])(
  'any other line stays as it is: %s',
  (line) => {
    expect(render(line)).toBe(`ingest     ${line}`);
  },
);

it('no line controls the terminal', () => {
  expect(render('\u001b[2J gone')).toBe('ingest     ·[2J gone');
  expect(render('{"level":30,"time":0,"msg":"\\u001b[2J","key":"\\u001b"}')).toBe(
    'ingest     info  ·[2J key="\\u001b"',
  );
});

it('what alarms for nothing is left out, and nothing else', () => {
  const warning =
    'Warning: uWS.HttpResponse writes must be made from within a corked callback. See documentation for ' +
    'uWS.HttpResponse.cork and consult the user manual.';
  const overcommit =
    '525:M 26 Nov 2026 14:15:15.145 # WARNING Memory overcommit must be enabled! Without it, a background save may fail';
  expect([warning, overcommit].map(saysNothing)).toEqual([true, true]);
  const others = [
    'Warning: the disk is full',
    '{"level":40}',
    "525:M 26 Nov 2026 14:15:15.145 # Can't rewrite append only file in background: fork: Cannot allocate memory",
  ];
  expect(others.map(saysNothing)).toEqual([false, false, false]);
});
