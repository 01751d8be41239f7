import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { writePrivateFile } from '../../infra/runtime/process/files.ts';
import type { MailMessage } from '../../schemas/internal/mail.ts';
import type { MailConfig } from '../config.ts';

/** Sends one mail, or breaks off. A mail may arrive although this failed. */
export type SendMail = (id: string, message: MailMessage, signal: AbortSignal) => Promise<void>;

const connectMsMax = 10_000;
const silenceMsMax = 30_000;

/** Sends by SMTP, or writes files where there is no server to send to. */
export function createSender(config: MailConfig): SendMail {
  const { smtpUrl, from } = config;
  return smtpUrl === undefined
    ? fileSender(join(config.dataDir, 'outbox'), from)
    : smtpSender(smtpUrl.reveal(), from);
}

function smtpSender(url: string, from: string): SendMail {
  const transport = createTransport({
    url,
    connectionTimeout: connectMsMax,
    greetingTimeout: connectMsMax,
    dnsTimeout: connectMsMax,
    socketTimeout: silenceMsMax,
  });
  return async (id, message, signal) => {
    await transport.sendMail({ ...compose(id, from, message), signal });
  };
}

/** Writes each mail into a file of its own, whole or not at all, that only our user can read. */
function fileSender(directory: string, from: string): SendMail {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return async (id, message) => {
    const { message: composed } = await transport.sendMail(compose(id, from, message));
    if (!Buffer.isBuffer(composed)) throw new Error('the mail was not composed');
    writePrivateFile(join(directory, `${id}.eml`), composed.toString('utf8'));
  };
}

function compose(id: string, from: string, { to, subject, text }: MailMessage): SendMailOptions {
  const domain = /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'localhost';
  return {
    from,
    // As an object it is always one address.
    to: { name: '', address: to },
    subject,
    text,
    // The same for each attempt, so that a receiver can recognise a mail that comes twice.
    messageId: `<${id}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
