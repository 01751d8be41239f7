import { randomUUID } from 'node:crypto';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Pool, transaction } from '../../../infra/runtime/stores/postgres.ts';
import type { MailMessage } from '../../../schemas/internal/mail.ts';
import { failingMsMax } from '../limits.ts';
import { type Disabled, disable, insertMail } from '../record/sql.ts';
import type { Target } from '../call/targets.ts';

/** `gone`: the receiver said so (410). `failing`: it did nothing but fail for days. */
export type Why = 'gone' | 'failing';

const reasons: Readonly<Record<Why, string>> = {
  gone: 'Its receiver answered 410 Gone.',
  failing: 'Its receiver took no message for five days.',
};

/**
 * Disables a webhook and writes its owner a mail, both or none; whether this was the one to do it. Does
 * nothing where it was changed meanwhile.
 */
export async function disableWebhook(
  pool: Pool,
  target: Target,
  why: Why,
  log: Logger,
): Promise<boolean> {
  const { webhookId: id, url } = target;
  const failingBefore = why === 'failing' ? new Date(Date.now() - failingMsMax) : null;
  try {
    return await transaction(pool, async (client) => {
      const disabled = await disable(client, { id, url, why, failingBefore });
      if (disabled !== undefined) await insertMail(client, randomUUID(), mailOf(disabled, why));
      return disabled !== undefined;
    });
  } catch (error) {
    // Its next try says the same.
    log.warn({ error, webhook: id }, 'a webhook was not disabled');
    return false;
  }
}

function mailOf({ name, thing, group, org, ownerEmail }: Disabled, why: Why): MailMessage {
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
