import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Api } from './schemas.ts';

/** Adds the headers that bound what a browser may do with the answers. */
export function protect(api: Api, policy: string): void {
  api.addHook('onSend', async (_request, reply) => {
    reply
      .header('content-security-policy', policy)
      .header('x-frame-options', 'DENY')
      // Not `no-referrer`: a browser's forms would not tell their origin then.
      .header('referrer-policy', 'same-origin')
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cross-origin-resource-policy', 'same-origin');
  });
}

/** Whether a browser made the request: every one says so, whatever its page is. */
export function isOfBrowser({ headers }: FastifyRequest): boolean {
  return headers['user-agent']?.startsWith('Mozilla/') === true;
}

/** Answers with this content, or that the browser has it already. */
export function answerFile(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  content: string,
): FastifyReply {
  const etag = `"${createHash('sha256').update(content).digest('base64url')}"`;
  reply.header('cache-control', 'no-cache').header('etag', etag);
  // A proxy that compresses makes it a weak one.
  const known = request.headers['if-none-match']?.replaceAll('W/', '').split(/\s*,\s*/) ?? [];
  if (known.includes(etag)) return reply.status(304).send();
  return reply.type(type).send(content);
}
