import { type Static, Type } from 'typebox';

/** A mail to be sent: a row of `mail_outbox`, and then the data of a job in the queue `mail`. */
export const MailMessage = Type.Object({
  to: Type.String({ minLength: 3, maxLength: 254 }),
  subject: Type.String({ minLength: 1, maxLength: 1_000 }),
  text: Type.String({ minLength: 1, maxLength: 100_000 }),
});
export type MailMessage = Static<typeof MailMessage>;

/** The queue of mails. A job's id is the id its row had in `mail_outbox`. */
export const mailQueue = 'mail';
