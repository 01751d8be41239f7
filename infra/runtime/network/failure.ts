/**
 * The decision on what was to be sent, after a failure. `retry`: nothing is wrong with it. `refuse`: it will never be
 * taken as it is. `halt`: the reason is not known; it is tried again, slowly, and an operator should look.
 */
type Decision = 'retry' | 'refuse' | 'halt';

export type Failure = { decision: Decision; code: string; reason: string };

/** The far side was not reached, or did not answer in time. Its client has no code for that. */
export class NotReached extends Error {
  override readonly name = 'NotReached';
}

/** The bytes that were to be sent are not what they were written as: they alone are to blame. */
export class BytesDamaged extends Error {
  override readonly name = 'BytesDamaged';
}

/** Codes that blame the moment, from Node and the system. No other code of theirs means that. */
const passing = new Set([
  // The network, and the far side's end of it.
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'ENOTCONN',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'ERR_SOCKET_CLOSED',
  'ERR_SOCKET_CONNECTION_TIMEOUT',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  // This machine, which has too little of something for now.
  'EAGAIN',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
  'ENOSPC',
]);

/**
 * Classifies a failure that the far side did not name itself, by its class and code alone. Each far side has its own
 * codes beside this, in a `classify` of its own.
 */
export function failureOf(error: unknown): Failure {
  const code = codeOf(error);
  if (error instanceof BytesDamaged) {
    return { decision: 'refuse', code: error.name, reason: error.message };
  }
  if (error instanceof NotReached || passing.has(code)) {
    const reason = `not reached: ${textOf(error)}`;
    return { decision: 'retry', code: code || NotReached.name, reason };
  }
  // The stack, which says where it was thrown, is all there is to find the mistake by.
  const stack = error instanceof Error ? error.stack : undefined;
  return { decision: 'halt', code: code || nameOf(error), reason: stack ?? textOf(error) };
}

/** Errors that the language throws: a mistake, wherever it is made. */
const mistakes = [TypeError, RangeError, ReferenceError, SyntaxError, URIError, EvalError];

/**
 * The error of a client of a far side. Where it has no code, and is no mistake, the client tells by it that it did not
 * reach the far side, or waited in vain.
 */
function named(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof NotReached) return error;
  const isNamed = codeOf(error) !== '' || mistakes.some((kind) => error instanceof kind);
  return isNamed ? error : new NotReached(error.message, { cause: error });
}

/** Gives the failures of these methods, which return promises, a class or a code. */
export function nameFailures(target: object, names: readonly string[]): void {
  for (const name of names) {
    const method: unknown = Reflect.get(target, name);
    if (typeof method !== 'function')
      throw new Error(`there is no ${name} whose failures have names`);
    Object.defineProperty(target, name, {
      value(this: unknown, ...args: unknown[]): unknown {
        const answer: unknown = Reflect.apply(method, this, args);
        return answer instanceof Promise ? answer.catch(rethrow) : answer;
      },
      configurable: true,
    });
  }
}

function rethrow(error: unknown): never {
  throw named(error);
}

/** A text, or of some libraries a number; '' if there is none. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : '';
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
