import type { Logger } from '../../infra/runtime/process/logger.ts';

/** The line of a request. It names no subtopic and no key. */
type AccessLine = {
  request_id: string;
  method: string;
  route: string;
  status: number;
  ms: number;
  bytes: number;
  caller?: string;
};

/** Logs a share of the requests, and of MQTT's connections. A share of none costs one comparison for each. */
export type AccessLog = { takesNext(): boolean; write(line: AccessLine): void };

/** `share`: from 0 to 1. */
export function createAccessLog(logger: Logger, share: number): AccessLog {
  return {
    takesNext: () => share > 0 && (share === 1 || Math.random() < share),
    write: (line) => logger.info(line, 'answered'),
  };
}
