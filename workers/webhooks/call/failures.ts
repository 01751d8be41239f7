import { errors } from 'undici';
import { limits } from '../../limits.ts';
import { AddressRefused } from './dial.ts';

/**
 * Why a call has no response. `kind` is what metrics and traces call it, so it is written as they write it; `what` is told
 * to the webhook's owner.
 */
export type CallFailure = {
  kind: 'stopped' | 'timed_out' | 'not_allowed' | 'not_sent' | 'no_connection' | 'broken_off';
  what: string;
};

export const stopped: CallFailure = { kind: 'stopped', what: 'this process was stopped' };

export const timedOut: CallFailure = {
  kind: 'timed_out',
  what: `no whole answer within ${limits.attemptMsMax} ms`,
};

/** The webhook has no request: its URL is no HTTP URL, or its headers or its secret can't be opened. */
export const unusable: CallFailure = {
  kind: 'not_sent',
  what: 'its URL, headers or secret can not be used',
};

const failures: Readonly<Record<string, CallFailure>> = {
  UND_ERR_CONNECT_TIMEOUT: { kind: 'timed_out', what: 'no connection in time' },
  ETIMEDOUT: { kind: 'timed_out', what: 'no connection in time' },
  ENOTFOUND: { kind: 'no_connection', what: 'the host was not found' },
  EAI_AGAIN: { kind: 'no_connection', what: 'the host was not found' },
  ECONNREFUSED: { kind: 'no_connection', what: 'the connection was refused' },
  EHOSTUNREACH: { kind: 'no_connection', what: 'the host can not be reached' },
  ENETUNREACH: { kind: 'no_connection', what: 'the host can not be reached' },
  UND_ERR_INVALID_ARG: { kind: 'not_sent', what: 'its URL or its headers can not be sent' },
  UND_ERR_NOT_SUPPORTED: { kind: 'not_sent', what: 'its URL or its headers can not be sent' },
  ERR_INVALID_URL: { kind: 'not_sent', what: 'its URL or its headers can not be sent' },
  ECONNRESET: { kind: 'broken_off', what: 'the connection was closed' },
  EPIPE: { kind: 'broken_off', what: 'the connection was closed' },
  UND_ERR_SOCKET: { kind: 'broken_off', what: 'the connection was closed' },
  UND_ERR_HEADERS_OVERFLOW: {
    kind: 'broken_off',
    what: 'the head of the answer was too long',
  },
};

/** Names an error by its code alone: its text may tell what is inside our network. */
export function failureOf(error: unknown): CallFailure {
  if (error instanceof AddressRefused) {
    return { kind: 'not_allowed', what: 'the address of the host is not allowed' };
  }
  const code = codeOf(error instanceof AggregateError ? error.errors[0] : error);
  const failure = failures[code];
  if (failure !== undefined) return failure;
  if (error instanceof errors.HTTPParserError) {
    return { kind: 'broken_off', what: 'the answer was not HTTP' };
  }
  if (/CERT|SSL|TLS|ISSUER|SIGNATURE|EPROTO|HOSTNAME/.test(code)) {
    return { kind: 'no_connection', what: `TLS failed: ${code}` };
  }
  return { kind: 'broken_off', what: code === '' ? 'it failed' : `it failed: ${code}` };
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}
