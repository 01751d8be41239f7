import { Type } from 'typebox';
import { userOf } from '../access/caller.ts';
import { insertSession, revokeSession } from '../access/credentials/session-sql.ts';
import {
  createSession,
  endedCookie,
  hashSession,
  mustBeSameOrigin,
  sessionCookie,
  sessionOf,
} from '../access/credentials/session.ts';
import { login, type LoginDependencies } from '../access/tokens/login.ts';
import { handle } from '../http/handle.ts';
import { type Api, Empty } from '../http/schemas.ts';
import { limits } from '../limits.ts';
import { consoleOperations } from './operations.ts';

const Credentials = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 1024 }),
});

const enter = {
  ...consoleOperations.enterConsole,
  method: 'POST',
  answers: { 204: Empty },
} as const;
const signIn = {
  ...enter,
  path: '/console/sign-in',
  body: Credentials,
  bodyBytesMax: limits.openBodyBytesMax,
} as const;
const signOut = { ...enter, path: '/console/sign-out' } as const;

/** Signing in and out of a browser. Programs take a token of `POST /tokens`, or an API key. */
export function signInRoutes(
  api: Api,
  dependencies: LoginDependencies & { sessionSeconds: number },
): void {
  const { db, sessionSeconds } = dependencies;

  handle(api, signIn, async (request, reply) => {
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
  });

  handle(api, signOut, async (request, reply) => {
    mustBeSameOrigin(request);
    const value = sessionOf(request);
    if (value !== undefined) await revokeSession(db, hashSession(value));
    return reply.status(204).header('set-cookie', endedCookie(request)).send();
  });

  handle(api, consoleOperations.viewSession, async (request) => {
    const { id, email, platformAdmin } = userOf(request);
    return { id, email, platform_admin: platformAdmin };
  });
}
