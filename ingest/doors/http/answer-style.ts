import { challenges } from '../../../schemas/http/challenges.ts';
import { type ErrorCode, errorBody } from '../../../schemas/http/errors.ts';

/** How a door says that a request is refused. */
export type AnswerStyle = {
  /** The body, as JSON has it. */
  errorBody(code: ErrorCode, detail: string | undefined, requestId: string): object;
  /** `WWW-Authenticate` of a 401. */
  challenge(code: ErrorCode): string;
};

/** As all of Millrace does. */
export const ownStyle: AnswerStyle = {
  errorBody,
  challenge: (code) => challenges(['Thing', 'External'], code),
};
