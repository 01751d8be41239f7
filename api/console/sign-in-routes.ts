import { Type } from 'typebox';
import { limits } from '../limits.ts';
import { type Api, Empty } from '../http/schemas.ts';
import { userOf } from '../access/caller.ts';
import {
  createSession,
  endedCookie,
  hashSession,
  mustBeSameOrigin,
  sessionCookie,
  sessionOf,
} from '../access/credentials/session.ts';
import { insertSession, revokeSession } from '../access/credentials/session-sql.ts';
import { login, type LoginDependencies } from '../access/tokens/login.ts';

const Credentials = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 1024 }),
});

const SignedIn = Type.Object({
  id: Type.String(),
  email: Type.String(),
  platform_admin: Type.Boolean(),
});

/** Signing in and out of a browser. Programs take a token of `POST /tokens`, or an API key. */
export function signInRoutes(
  api: Api,
  dependencies: LoginDependencies & { sessionSeconds: number },
): void {
  const { db, sessionSeconds } = dependencies;

  api.route({
    method: 'POST',
    url: '/console/sign-in',
    bodyLimit: limits.openBodyBytesMax,
    schema: { body: Credentials, response: { 204: Empty } },
    config: { operation: 'enterConsole' },
    handler: async (request, reply) => {
      mustBeSameOrigin(request);
      const address = request.clientAddress;
      const account = await login(dependencies, { ...request.body, address });
      const value = createSession();
      await insertSession(db, {
        account,
        valueHash: hashSession(value),
        seconds: sessionSeconds,
        address,
        userAgent: request.headers['user-agent'] ?? '',
      });
      return reply
        .status(204)
        .header('set-cookie', sessionCookie(request, value, sessionSeconds))
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
      const value = sessionOf(request);
      if (value !== undefined) await revokeSession(db, hashSession(value));
      return reply.status(204).header('set-cookie', endedCookie(request)).send();
    },
  });

  api.route({
    method: 'GET',
    url: '/console/session',
    schema: { response: { 200: SignedIn } },
    config: { operation: 'viewSession' },
    handler: async (request) => {
      const { id, email, platformAdmin } = userOf(request);
      return { id, email, platform_admin: platformAdmin };
    },
  });
}
