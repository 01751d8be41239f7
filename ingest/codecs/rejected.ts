import type { ErrorCode } from '../../schemas/http/errors.ts';

/** Why a message is not taken: a value, never thrown. `detail` says what is wrong and where. */
export type Rejected = {
  readonly kind: 'refused';
  readonly code: Extract<ErrorCode, 'malformed' | 'too_large' | 'unsupported_type'>;
  readonly detail: string;
};

export type CodecLimits = {
  recordsPerMessageMax: number;
  /** The outermost array or object is 1. */
  nestingMax: number;
  /** Of a resolved name, and of a unit. */
  nameCharsMax: number;
  membersPerObjectMax: number;
  /** Arrays and objects of one message. */
  containersMax: number;
};

export const malformed = (detail: string): Rejected => ({
  kind: 'refused',
  code: 'malformed',
  detail,
});
export const tooLarge = (detail: string): Rejected => ({
  kind: 'refused',
  code: 'too_large',
  detail,
});
