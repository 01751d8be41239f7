import { ApiError, ConnectionError, type NamedField } from '../../../../schemas/client/errors.ts';

/** Why something was not done: the status of a refusal, 0 where no answer came, -1 where a page failed by itself. */
export type Failure = {
  status: number;
  /** The server's or the page's own words; empty where the status says all. */
  message: string;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  /** The field of a form that the message begins with. */
  field?: NamedField | undefined;
};

export const noAnswer: Failure = { status: 0, message: '' };

/** Whether the same may be answered a moment later: the service is away, or has too much to do. */
export const passes = ({ status }: Failure): boolean => [0, 429, 503].includes(status);

/** A fault in a field, as a page finds it before the API does. */
export class FieldError extends Error {
  readonly path: string;

  constructor(path: string, problem: string) {
    super(problem);
    this.path = path;
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { status, detail: message, requestId, retryAfterSeconds, field } = error;
    return { status, message, requestId, retryAfterSeconds, field };
  }
  if (error instanceof ConnectionError) return noAnswer;
  const message = error instanceof Error ? error.message : String(error);
  const field =
    error instanceof FieldError ? { path: error.path, problem: error.message } : undefined;
  return { status: -1, message, field };
}
