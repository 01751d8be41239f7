import { Type } from 'typebox';
import { openBodyBytesMax } from '../limits.ts';
import type { Parts } from '../parts.ts';
import type { Api } from '../shapes.ts';
import { login } from './login.ts';

const Credentials = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 1024 }),
});

const Token = Type.Object({ token: Type.String() });

export function tokenRoutes(
  api: Api,
  parts: Pick<Parts, 'db' | 'tokens' | 'throttle' | 'budgets'>,
): void {
  api.route({
    method: 'POST',
    url: '/tokens',
    bodyLimit: openBodyBytesMax,
    schema: { body: Credentials, response: { 201: Token } },
    config: { operation: 'issueToken' },
    handler: async (request, reply) => {
      const token = await login(parts, { ...request.body, address: request.clientAddress });
      return reply.status(201).send({ token });
    },
  });
}
