import type { Cors } from '../../infra/runtime/network/cors.ts';
import type { Api } from './schemas.ts';

/** Lets pages of other origins ask, where a setting names them. */
export function answerOtherOrigins(api: Api, cors: Cors | undefined): void {
  if (cors === undefined) return;
  api.addHook('onRequest', async ({ method, headers }, reply) => {
    const { origin = '' } = headers;
    const isPreflight = method === 'OPTIONS' && 'access-control-request-method' in headers;
    const told = isPreflight ? cors.preflight(origin) : cors.answer(origin);
    reply.headers(Object.fromEntries(told));
    return isPreflight ? reply.status(204).send() : undefined;
  });
}
