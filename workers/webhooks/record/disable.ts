import { randomUUID } from 'node:crypto';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Pool, transaction } from '../../../infra/runtime/stores/postgres.ts';
import type { MailMessage } from '../../../schemas/internal/mail.ts';
import { limits } from '../../limits.ts';
import { type Disabled, disable, insertMail } from './sql.ts';

/** `gone`: the receiver answered 410. `failing`: all attempts failed for days. */
export type DisabledWhy = 'gone' | 'failing';

const reasons: Readonly<Record<DisabledWhy, string>> = {
  gone: 'Its receiver answered 410 Gone.',
  failing: 'Its receiver took no message for five days.',
};

/**
 * Disables a webhook and writes a mail to its owner, both or none; true if it did. Does nothing if the webhook was
 * changed or disabled meanwhile.
 */
export async function disableWebhook(
  pool: Pool,
  { id, url }: { id: string; url: string },
  why: DisabledWhy,
  logger: Logger,
): Promise<boolean> {
  const failingBefore = why === 'failing' ? new Date(Date.now() - limits.failingMsMax) : null;
  try {
    return await transaction(pool, async (client) => {
      const disabled = await disable(client, { id, url, why, failingBefore });
      if (disabled !== undefined) await insertMail(client, randomUUID(), mailOf(disabled, why));
      return disabled !== undefined;
    });
  } catch (error) {
    // It is tried again after the next failed attempt.
    logger.warn({ error, webhook: id }, 'a webhook was not disabled');
    return false;
  }
}

function mailOf({ name, thing, group, org, ownerEmail }: Disabled, why: DisabledWhy): MailMessage {
  const webhook = oneLine(name);
  const within = `your organization "${oneLine(org)}"`;
  const of =
    (thing !== null && `of the thing "${oneLine(thing)}" in ${within}`) ||
    (group !== null && `of the group "${oneLine(group)}" in ${within}`) ||
    `of ${within}`;
  return {
    to: ownerEmail,
    subject: `The webhook ${webhook} was disabled`,
    text: [
      `The webhook "${webhook}" ${of} was disabled.`,
      reasons[why],
      'Messages are no longer forwarded to it. Change the webhook to have it tried again.\n',
    ].join('\n\n'),
  };
}

function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > 254 ? `${line.slice(0, 254)}…` : line;
}
