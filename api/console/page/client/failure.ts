import { ApiError, ConnectionError } from '../../../../schemas/client/errors.ts';

/** Why something was not done: the status of a refusal, 0 where no answer came, -1 where a page failed by itself. */
export type Failure = Pick<ApiError, 'message' | 'status' | 'retryAfterSeconds' | 'requestId'>;

export const noAnswer: Failure = {
  status: 0,
  message: '',
  retryAfterSeconds: undefined,
  requestId: undefined,
};

export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) return error;
  if (error instanceof ConnectionError) return noAnswer;
  return {
    ...noAnswer,
    status: -1,
    message: error instanceof Error ? error.message : String(error),
  };
}
