import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import type { Author } from '../../stores/author.ts';
import { operationOf } from '../../http/operation.ts';

/** The author of the change that a request asks for; undefined if the audit log tells nothing of it. */
export function authorOf(request: FastifyRequest): Author | undefined {
  const { name: operation, audit, auditAlso } = operationOf(request);
  const kind = audit ?? auditAlso;
  if (kind === undefined) return undefined;
  return {
    kind,
    operation,
    ...actorOf(request.caller),
    address: request.clientAddress,
    request_id: request.id,
  };
}

function actorOf(caller: Caller | null) {
  if (caller === null) return { actor_type: 'guest' } as const;
  const { kind: actor_type, id: actor_id } = caller;
  if (caller.kind === 'thing') return { actor_type, actor_id };
  const { email: actor_email, apiKeyId } = caller;
  const byKey = apiKeyId === undefined ? {} : { api_key_id: apiKeyId };
  return { actor_type, actor_id, actor_email, ...byKey };
}
