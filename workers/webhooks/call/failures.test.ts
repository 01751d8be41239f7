import { errors } from 'undici';
import { expect, it } from 'vitest';
import { AddressRefused } from './dial.ts';
import { failureOf } from './failures.ts';

const withCode = (code: unknown) => Object.assign(new Error('10.0.0.7 said so'), { code });

it.each([
  [new AddressRefused('10.0.0.7'), 'not_allowed', 'the address of the host is not allowed'],
  [withCode('ETIMEDOUT'), 'timed_out', 'no connection in time'],
  [withCode('ENOTFOUND'), 'no_connection', 'the host was not found'],
  [withCode('ERR_INVALID_URL'), 'not_sent', 'its URL or its headers can not be sent'],
  [withCode('EPIPE'), 'broken_off', 'the connection was closed'],
  [new AggregateError([withCode('ECONNREFUSED')]), 'no_connection', 'the connection was refused'],
  [new errors.HTTPParserError('bad'), 'broken_off', 'the answer was not HTTP'],
  [withCode('CERT_HAS_EXPIRED'), 'no_connection', 'TLS failed: CERT_HAS_EXPIRED'],
  [withCode('EWHATEVER'), 'broken_off', 'it failed: EWHATEVER'],
  [withCode(7), 'broken_off', 'it failed'],
  ['no error at all', 'broken_off', 'it failed'],
])('%s is named by its code alone', (error, kind, what) => {
  expect(failureOf(error)).toEqual({ kind, what });
});
