import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** What nodemailer adds to an error of the server. */
const SmtpError = Type.Object({ permanent: Type.Boolean(), command: Type.String() });

/**
 * Whether an SMTP server refused this mail for good, because of its receiver or its content. A refused login or sender
 * is an operator's mistake, and may be corrected before the last attempt.
 */
export function isRefusedForGood(error: unknown): boolean {
  if (!Value.Check(SmtpError, error) || !error.permanent) return false;
  return error.command === 'RCPT TO' || error.command === 'DATA';
}
