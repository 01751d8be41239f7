import pino, { type Logger } from 'pino';
import { currentRequestId } from './request-id.ts';

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

/**
 * The process's log: JSON lines on standard output, each with the process's name, and with the id of the
 * request that caused it. They are written at once: pino's delayed writes come out of order at an exit, and
 * an exit whose reader is gone never ends.
 */
export function createLog(processName: string, level: string): Logger {
  const options = {
    name: processName,
    level,
    base: { name: processName },
    mixin: (): object => {
      const requestId = currentRequestId();
      return requestId === undefined ? {} : { request_id: requestId };
    },
    // Under the name we give it; pino by itself knows `err` only, and writes `{}` for an `error`.
    serializers: { error: pino.stdSerializers.err },
    redact: { paths: secretPaths, censor: '[redacted]' },
  };
  return pino(options, pino.destination({ dest: 1, sync: true }));
}
