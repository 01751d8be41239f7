import { CommanderError } from 'commander';
import { ApiError, codeOf } from '../../schemas/client/errors.ts';
import { UsageError } from '../input/usage.ts';

/** The end of a failed command: the message, what to do next, and the exit code. */
type Failure = {
  text: string;
  hint: string | undefined;
  /** The error code and the request id, for the server's log and documents. */
  reference?: string;
  exitCode: 1 | 2;
};

/** Undefined for what is not a failure: a request for help, or a closed pipe. */
export function toFailure(error: unknown): Failure | undefined {
  if (codeOf(error) === 'EPIPE') return undefined;
  if (error instanceof CommanderError) return toUsageFailure(error);
  if (error instanceof UsageError) return { text: error.message, hint: undefined, exitCode: 2 };
  if (!(error instanceof Error)) return { text: String(error), hint: undefined, exitCode: 1 };
  const reference = referenceOf(error);
  return {
    text: error.message,
    hint: hintFor(error),
    ...(reference === '' ? {} : { reference }),
    exitCode: 1,
  };
}

function toUsageFailure(error: CommanderError): Failure | undefined {
  if (error.exitCode === 0 || error.code === 'commander.help') return undefined;
  const words = error.message.replace(/^error: /, '').replace(/\.$/, '');
  const text =
    error.code === 'commander.excessArguments'
      ? words.replace(/: .*$/s, '')
      : // What stands in the wrong place may be a token or a key, and those are long and have digits.
        words.replace(/[\w.~+/-]{16,}/g, (long) => (/\d/.test(long) ? '***' : long));
  return { text, hint: 'add --help to see how it is used', exitCode: 2 };
}

/** `code: not_found, request_id: 5f2c…`, as far as the server sends it. */
function referenceOf(error: Error): string {
  if (!(error instanceof ApiError)) return '';
  const { code, requestId } = error;
  return [
    ...(code === undefined ? [] : [`code: ${code}`]),
    ...(requestId === undefined ? [] : [`request_id: ${requestId}`]),
  ].join(', ');
}

/** The next step of the user. */
function hintFor(error: Error): string | undefined {
  switch (error.name) {
    case 'ConnectionError':
      return codeOf(error) === 'ECONNREFUSED'
        ? 'nothing listens there: start Millrace, or name another server with --url'
        : tlsHint(codeOf(error));
    case 'AnswerError':
      return 'is this Millrace? Name its address with --url';
    case 'ApiError':
      return 'status' in error ? hintForStatus(Number(error.status)) : undefined;
    default:
      return undefined;
  }
}

function tlsHint(code: string): string {
  return /CERT|SIGNED|TLS|SSL/.test(code)
    ? 'the certificate is not trusted: name its CA in NODE_EXTRA_CA_CERTS, or use --insecure'
    : 'check the address (--url) and the network';
}

function hintForStatus(status: number): string | undefined {
  switch (status) {
    case 401:
      return 'the token or key is wrong, or has ended. Log in with: millrace login';
    case 403:
      return "your role does not reach that far: ask one of the org's or group's admins";
    case 404:
      return 'check the id, and that it is an id of that kind';
    case 409:
      return 'there is one already, or something still needs it';
    case 413:
      return 'send it in smaller parts';
    case 415:
      return 'name the type of the message with --content-type';
    case 429:
    case 503:
      return 'try again in a moment';
    default:
      return status >= 500 ? "the server's log says more" : undefined;
  }
}

/** Removes secrets from a text; tokens and API keys are recognised by their form. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length >= 6);
  return known
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '***')
    .replace(/\bmrk_[\w-]+/g, '***');
}
