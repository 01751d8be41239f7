import { Type } from 'typebox';
import { limits } from '../limits.ts';
import { type Api, Empty } from '../http/schemas.ts';
import { userOf } from '../access/caller.ts';
import { endedCookie, mustBeSameOrigin, sessionCookie } from '../access/credentials/session.ts';
import type { Tokens } from '../access/tokens/jwt.ts';
import { login, type LoginDependencies } from '../access/tokens/login.ts';

const Credentials = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 1024 }),
});

const Session = Type.Object({
  id: Type.String(),
  email: Type.String(),
  platform_admin: Type.Boolean(),
});

/** Signing in and out of a browser. Programs take a token of `POST /tokens`, or an API key. */
export function sessionRoutes(
  api: Api,
  dependencies: LoginDependencies & { sessionTokens: Tokens; sessionSeconds: number },
): void {
  const { sessionTokens: tokens, sessionSeconds } = dependencies;

  api.route({
    method: 'POST',
    url: '/console/sign-in',
    bodyLimit: limits.openBodyBytesMax,
    schema: { body: Credentials, response: { 204: Empty } },
    config: { operation: 'enterConsole' },
    handler: async (request, reply) => {
      mustBeSameOrigin(request);
      const attempt = { ...request.body, address: request.clientAddress };
      const token = await login({ ...dependencies, tokens }, attempt);
      return reply
        .status(204)
        .header('set-cookie', sessionCookie(request, token, sessionSeconds))
        .send();
    },
  });

  api.route({
    method: 'POST',
    url: '/console/sign-out',
    schema: { response: { 204: Empty } },
    config: { operation: 'enterConsole' },
    handler: async (request, reply) => {
      mustBeSameOrigin(request);
      return reply.status(204).header('set-cookie', endedCookie(request)).send();
    },
  });

  api.route({
    method: 'GET',
    url: '/console/session',
    schema: { response: { 200: Session } },
    config: { operation: 'viewSession' },
    handler: async (request) => {
      const { id, email, platformAdmin } = userOf(request);
      return { id, email, platform_admin: platformAdmin };
    },
  });
}
