import pino, { type Logger } from 'pino';

export type { Logger } from 'pino';

/** Where secrets could stand in what is logged; pino writes `[redacted]` there. */
const secretPaths = [
  'authorization',
  'password',
  'key',
  'token',
  'secret',
  '*.authorization',
  '*.password',
  '*.key',
  '*.token',
  '*.secret',
  'req.headers.authorization',
];

/** The process's log: JSON lines on standard output, one process name on each. */
export function createLog(processName: string, level: string): Logger {
  return pino({
    name: processName,
    level,
    base: { name: processName },
    redact: { paths: secretPaths, censor: '[redacted]' },
  });
}
