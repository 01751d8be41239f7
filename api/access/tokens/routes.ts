import type { Tokens } from './jwt.ts';
import { Type } from 'typebox';
import { about } from '../../../schemas/http/common.ts';
import { limits } from '../../limits.ts';
import type { Api } from '../../http/schemas.ts';
import { login, type LoginDependencies } from './login.ts';

const Credentials = Type.Object({
  email: about(
    Type.String({ minLength: 1, maxLength: 254 }),
    'E-mail of the user.',
    'ada@example.com',
  ),
  password: about(
    Type.String({ minLength: 1, maxLength: 1024 }),
    'Password of the user.',
    'a long passphrase',
  ),
});

const Token = Type.Object({
  token: about(
    Type.String(),
    'Token for `Authorization: Bearer`: a JWT that ends after 10 hours, unless the operator set something else.',
    'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl',
  ),
});

export function tokenRoutes(api: Api, dependencies: LoginDependencies & { tokens: Tokens }): void {
  api.route({
    method: 'POST',
    url: '/tokens',
    bodyLimit: limits.openBodyBytesMax,
    schema: { body: Credentials, response: { 201: Token } },
    config: { operation: 'issueToken' },
    handler: async (request, reply) => {
      const address = request.clientAddress;
      const { id, tokenGeneration } = await login(dependencies, { ...request.body, address });
      const token = await dependencies.tokens.issue({ userId: id, generation: tokenGeneration });
      return reply.status(201).send({ token });
    },
  });
}
