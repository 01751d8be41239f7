import { Counter, type Registry } from '../../infra/runtime/observability/metrics.ts';

export type MailMetrics = Record<'queued' | 'sent' | 'failedAttempts' | 'givenUp', Counter>;

export function registerMailMetrics(registry: Registry): MailMetrics {
  const counter = (name: string, help: string) =>
    new Counter({ name: `millrace_mails_${name}_total`, help, registers: [registry] });
  return {
    queued: counter('queued', 'Mails moved from the outbox into the queue'),
    sent: counter('sent', 'Mails sent'),
    failedAttempts: counter('failed_attempts', 'Attempts to send a mail that failed'),
    givenUp: counter('given_up', 'Mails in the failed set of the queue'),
  };
}
