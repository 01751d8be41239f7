/** A refusal may name a member of what was sent, as a path such as `config.write`, and what is wrong with it. */
export type NamedField = { path: string; problem: string };

/** A path as the API writes it: `0.url` is of the first of a list, and a name of a client's own stands in quotes. */
const fieldFirst =
  /^(?:\d+\.)?([a-z]\w*(?:\.(?:"(?:[^"\\]|\\.)*"|[^\s.:"]+))*)(?:$|:?\s+(?=\S))(.*)$/su;

/** The server said no: its status, and its own words. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** From `Retry-After`: how long to wait before asking again. */
  readonly retryAfterSeconds: number | undefined;
  /** The name of what is wrong, for programs, where the server tells it. */
  readonly code: string | undefined;
  /** By this id the server's log knows the request. */
  readonly requestId: string | undefined;

  constructor(
    status: number,
    error: string,
    more: { retryAfterSeconds?: number; code?: string; requestId?: string } = {},
  ) {
    super(error);
    this.status = status;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.code = more.code;
    this.requestId = more.requestId;
  }

  /** The fault and its place, without the phrase that stands for the code before it; empty where that says all. */
  get detail(): string {
    const [, detail = ''] = /^[^:]*: (.*)$/s.exec(this.message) ?? [];
    return this.code === undefined ? this.message : detail;
  }

  /**
   * The member of the request that `detail` names, if it names one: `url must be …`, `name is missing`, a name alone, of
   * what exists already, or `user: email`, of what is not there. The first word may be of a sentence as well: who asks
   * knows the names of what was sent.
   */
  get field(): NamedField | undefined {
    if (this.status === 404) {
      const [, kind, of] = /^([a-z][a-z ]*): ([\w.]+)$/.exec(this.detail) ?? [];
      return of === undefined ? undefined : { path: of, problem: `names no ${kind}` };
    }
    const [, path, problem = ''] = fieldFirst.exec(this.detail) ?? [];
    if (path === undefined) return undefined;
    const isUnsaid = problem === '' && this.status !== 409;
    return { path, problem: isUnsaid ? 'is not as it must be' : problem };
  }
}

/** The refusal of an answer: the server's words, where its body has them. */
export function refusalOf(
  status: number,
  header: (name: string) => unknown,
  body: string,
): ApiError {
  const { error, code, request_id: requestId = header('x-request-id') } = membersIn(body);
  const retryAfter = Number(header('retry-after') ?? Number.NaN);
  return new ApiError(status, typeof error === 'string' ? error : `the server answered ${status}`, {
    ...(retryAfter >= 0 ? { retryAfterSeconds: retryAfter } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
  });
}

function membersIn(text: string): Record<string, unknown> {
  try {
    return { ...Object(JSON.parse(text)) };
  } catch {
    return {};
  }
}

/** No answer, or not the whole of it: the server can't be reached, or the connection broke. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** Where to: scheme, host and port. */
  readonly origin: string;
  /** The system's name for it, such as `ECONNREFUSED`. */
  readonly code: string;

  constructor(origin: string, cause: unknown) {
    super(`no whole answer from ${origin}: ${messageOf(cause)}`, { cause });
    this.origin = origin;
    this.code = codeOf(cause);
  }
}

/** An answer that Millrace would not give: most likely the URL is another server's. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
  readonly origin: string;

  constructor(origin: string, what: string) {
    super(`${origin} answered ${what}`);
    this.origin = origin;
  }
}

/** Several addresses may have been tried, and each have failed. */
function first(error: unknown): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
}

function messageOf(error: unknown): string {
  const one = first(error);
  return one instanceof Error ? one.message : String(one);
}

export function codeOf(error: unknown): string {
  const one = first(error);
  return one instanceof Error && 'code' in one && typeof one.code === 'string' ? one.code : '';
}
