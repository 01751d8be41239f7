import { errors } from 'undici';
import { AddressRefused } from './dial.ts';

/** Why a call has no response. `what` is told to the webhook's owner. */
export type CallFailure = {
  kind: 'stopped' | 'timed out' | 'not allowed' | 'not sent' | 'no connection' | 'broken off';
  what: string;
};

const failures: Readonly<Record<string, CallFailure>> = {
  UND_ERR_CONNECT_TIMEOUT: { kind: 'timed out', what: 'no connection in time' },
  ETIMEDOUT: { kind: 'timed out', what: 'no connection in time' },
  ENOTFOUND: { kind: 'no connection', what: 'the host was not found' },
  EAI_AGAIN: { kind: 'no connection', what: 'the host was not found' },
  ECONNREFUSED: { kind: 'no connection', what: 'the connection was refused' },
  EHOSTUNREACH: { kind: 'no connection', what: 'the host can not be reached' },
  ENETUNREACH: { kind: 'no connection', what: 'the host can not be reached' },
  UND_ERR_INVALID_ARG: { kind: 'not sent', what: 'its URL or its headers can not be sent' },
  UND_ERR_NOT_SUPPORTED: { kind: 'not sent', what: 'its URL or its headers can not be sent' },
  ERR_INVALID_URL: { kind: 'not sent', what: 'its URL or its headers can not be sent' },
  ECONNRESET: { kind: 'broken off', what: 'the connection was closed' },
  EPIPE: { kind: 'broken off', what: 'the connection was closed' },
  UND_ERR_SOCKET: { kind: 'broken off', what: 'the connection was closed' },
  UND_ERR_HEADERS_OVERFLOW: {
    kind: 'broken off',
    what: 'the head of the answer was too long',
  },
};

/** Names an error by its code alone: its text may tell what is inside our network. */
export function failureOf(error: unknown): CallFailure {
  if (error instanceof AddressRefused) {
    return { kind: 'not allowed', what: 'the address of the host is not allowed' };
  }
  const code = codeOf(error instanceof AggregateError ? error.errors[0] : error);
  const failure = failures[code];
  if (failure !== undefined) return failure;
  if (error instanceof errors.HTTPParserError) {
    return { kind: 'broken off', what: 'the answer was not HTTP' };
  }
  if (/CERT|SSL|TLS|ISSUER|SIGNATURE|EPROTO|HOSTNAME/.test(code)) {
    return { kind: 'no connection', what: `TLS failed: ${code}` };
  }
  return { kind: 'broken off', what: code === '' ? 'it failed' : `it failed: ${code}` };
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}
