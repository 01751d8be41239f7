import { createBullBoard } from '@bull-board/api';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyPluginCallback } from 'fastify';
import type { Database } from '../../stores/database.ts';
import { toDomainError } from '../../http/errors.ts';
import { NamedWebhookJobs, namedMails } from './named-jobs.ts';
import type { Queues } from './open.ts';

export const dashboardPath = '/queues';

/** Nothing from other origins, and no inline scripts. Styles are inline too. */
export const boardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Bull Board over the queues of the workers. */
export function createBoard({ webhooks, mail }: Queues, db: Database): FastifyPluginCallback {
  const adapter = new FastifyAdapter();
  createBullBoard({
    queues: [new NamedWebhookJobs(webhooks, db), namedMails(mail)],
    serverAdapter: adapter,
    options: {
      uiConfig: {
        boardTitle: 'Millrace queues',
        hideDocsLink: true,
        // The board's own colors have too little contrast; the accent is the darker one of tokens.css.
        theme: { light: { 'muted-foreground': '#47525c', primary: '#084c9e' } },
        miscLinks: [{ text: 'Console', url: '/' }],
      },
    },
  });
  adapter.setErrorHandler((error) => {
    // Named errors are answered as everywhere. Of others the admin sees why a job could not be moved.
    if (toDomainError(error).code !== 'internal') throw error;
    return { status: 500, body: { error: error.message } };
  });
  return adapter.registerPlugin();
}
