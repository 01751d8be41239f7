import { UnrecoverableError } from 'bullmq';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Failure, failureOf } from '../../infra/runtime/network/failure.ts';

/** The members that nodemailer adds to an error that is an answer of the server. */
const SmtpError = Type.Object({
  permanent: Type.Boolean(),
  responseCode: Type.Number(),
  command: Type.String(),
});

/** The codes of nodemailer for a server that it did not reach, or that broke off, and for our own stop. */
const passing = new Set(['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'EABORT']);

/** Tells the queue that a mail is refused for good. */
export class MailRefused extends UnrecoverableError {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.reason);
    this.failure = failure;
  }
}

/**
 * Classifies a failure to send a mail: a server refuses a mail for good because of its receiver or its content. A login
 * or a sender that is refused is an operator's mistake, and may be corrected before the last attempt.
 */
export function classify(error: unknown): Failure {
  if (error instanceof MailRefused) return error.failure;
  const reason = error instanceof Error ? error.message : String(error);
  if (Value.Check(SmtpError, error)) {
    const code = String(error.responseCode);
    if (!error.permanent) return { decision: 'retry', code, reason };
    const isOfMail = error.command === 'RCPT TO' || error.command === 'DATA';
    return { decision: isOfMail ? 'refuse' : 'halt', code, reason };
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return passing.has(code) ? { decision: 'retry', code, reason } : failureOf(error);
}
