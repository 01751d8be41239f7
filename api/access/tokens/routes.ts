import { handle } from '../../http/handle.ts';
import type { Api } from '../../http/schemas.ts';
import type { Tokens } from './jwt.ts';
import { login, type LoginDependencies } from './login.ts';
import { tokens } from './operations.ts';

export function tokenRoutes(api: Api, dependencies: LoginDependencies & { tokens: Tokens }): void {
  handle(api, tokens.issueToken, async (request, reply) => {
    const address = request.clientAddress;
    const { id, tokenGeneration } = await login(dependencies, { ...request.body, address });
    const token = await dependencies.tokens.issue({ userId: id, generation: tokenGeneration });
    return reply.status(201).send({ token });
  });
}
