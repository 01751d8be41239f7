import { type DomainError, type ErrorBody, errorBody } from '../../schemas/http/errors.ts';

/** The body of a failure: ours, whose `error` is in InfluxDB's words. */
export function influxErrorBody(error: DomainError, requestId: string): ErrorBody {
  return { ...errorBody(error.code, error.detail, requestId), error: wordsOf(error) };
}

function wordsOf({ code, status, detail, message }: DomainError): string {
  if (status === 401) {
    return code === 'credential_missing'
      ? 'unable to parse authentication credentials'
      : 'authorization failed';
  }
  return detail ?? message;
}
