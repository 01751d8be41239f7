import { styleText } from 'node:util';

/** Wide enough for `clickhouse`. */
const nameWidth = 10;

const levelNames: Record<number, Level> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

const nameColours = ['cyan', 'magenta', 'blue', 'green', 'yellow'] as const;
const levelColours = {
  trace: 'gray',
  debug: 'gray',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
} as const;

/** Said by the prefix already. */
const hidden = new Set(['name', 'pid', 'hostname']);

export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** A line as our processes log it. */
export type LogLine = {
  timeMs: number;
  level: Level;
  message: string;
  fields: Record<string, unknown>;
};

/**
 * Lines that alarm for nothing, of programs that can't be told to leave them out:
 * - the edge's server warns of each stream that opens after its key was looked up, since the upgrade must not be corked
 *   then (ingest/doors/http/exchange.ts);
 * - Redis warns that a fork may fail where memory is short. One that fails is told, and appended files are kept.
 */
const saidForNothing = [
  /^Warning: uWS\.HttpResponse writes must be made from within a corked/,
  /# WARNING Memory overcommit must be enabled!/,
];

/** True if a line says nothing to anybody. */
export function saysNothing(text: string): boolean {
  return saidForNothing.some((pattern) => pattern.test(text));
}

/** Reads one line of a child's output: a pino line as such, anything else as the text it is. */
export function parseLine(text: string): LogLine | string {
  if (!text.startsWith('{')) return text;
  try {
    const { level, time, msg, ...rest } = JSON.parse(text);
    const levelName = levelNames[level];
    if (levelName === undefined || typeof time !== 'number') return text;
    const fields = Object.fromEntries(Object.entries(rest).filter(([key]) => !hidden.has(key)));
    return { timeMs: time, level: levelName, message: String(msg ?? ''), fields };
  } catch {
    return text;
  }
}

/**
 * One line for people: `HH:MM:SS name level message key=value …`, or the raw text after the name.
 * Coloured only where `stream` is a terminal that wants it (NO_COLOR is respected).
 */
export function renderLine(
  name: string,
  line: LogLine | string,
  nowMs: number,
  stream: NodeJS.WriteStream,
): string {
  const paint = (colour: Parameters<typeof styleText>[0], text: string) =>
    styleText(colour, text, { stream });
  const time = paint('gray', clock(typeof line === 'string' ? nowMs : line.timeMs));
  const prefix = `${time} ${paint(colourOf(name), name.padEnd(nameWidth))}`;
  if (typeof line === 'string') return `${prefix} ${printable(line)}`;
  const level = paint(levelColours[line.level], line.level.padEnd(5));
  const fields = Object.entries(line.fields).map(([key, value]) => ` ${key}=${fieldText(value)}`);
  const traces = Object.values(line.fields).flatMap(traceLines);
  const first = `${prefix} ${level} ${printable(line.message)}${fields.join('')}`;
  return [first, ...traces.map((trace) => `${prefix} ${printable(trace)}`)].join('\n');
}

function colourOf(name: string) {
  const sum = Buffer.from(name).reduce((total, byte) => total + byte, 0);
  return nameColours[sum % nameColours.length] ?? 'cyan';
}

function clock(timeMs: number): string {
  return new Date(timeMs).toTimeString().slice(0, 8);
}

function fieldText(value: unknown): string {
  const shown = isFailure(value) ? value.message : value;
  if (typeof shown === 'string' && /^[^\s"=\p{Cc}]+$/u.test(shown)) return shown;
  return JSON.stringify(shown) ?? '';
}

/** Where a failure came from, below its line. */
function traceLines(value: unknown): string[] {
  return isFailure(value) ? value.stack.split('\n').filter((line) => /^\s+at /.test(line)) : [];
}

function isFailure(value: unknown): value is { message: string; stack: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'message' in value &&
    'stack' in value &&
    typeof value.message === 'string' &&
    typeof value.stack === 'string'
  );
}

/** A line without what would steer the terminal: a child may print anything. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\t]/gu, '·');
}
