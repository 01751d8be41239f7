import { randomUUID } from 'node:crypto';
import { DomainError } from '../../../schemas/http/errors.ts';
import { userOf } from '../../access/caller.ts';
import { handleLists } from '../../access/handle-lists.ts';
import type { LoginDependencies } from '../../access/tokens/login.ts';
import { hashInTurn } from '../../access/tokens/passwords.ts';
import { mustExist, present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import { users } from './operations.ts';
import { changePassword } from './password.ts';
import { findUserFor, findUsers, insertUser, updateUser } from './sql.ts';

export function userRoutes(api: Api, dependencies: LoginDependencies): void {
  const { db, budgets } = dependencies;

  handle(api, users.createUser, async (request, reply) => {
    const { email, password, metadata } = request.body;
    const id = randomUUID();
    const passwordHash = await hashInTurn(budgets, password);
    const user = { id, email, passwordHash, metadata: metadata ?? {} };
    await db.transaction((work) => insertUser(work, user));
    return reply.status(201).header('location', `/users/${id}`).send();
  });

  handle(api, users.viewUser, async (request) => {
    const found = present(await findUserFor(db, userOf(request), request.params.id), 'user');
    if (!found.visible) throw new DomainError('forbidden', 'needs an org in common');
    return found.user;
  });

  handle(api, users.viewOwnUser, async (request) => {
    const me = userOf(request);
    return present(await findUserFor(db, me, me.id), 'user').user;
  });

  handleLists(api, [users.listUsers, users.searchUsers], async (user, _scope, query) => {
    const { total, rows } = await findUsers(db, user, query);
    return { ...envelope(query, total), Users: rows, users: rows };
  });

  handle(api, users.updateOwnMetadata, async (request, reply) => {
    mustExist(await updateUser(db, userOf(request).id, request.body), 'user');
    return reply.send();
  });

  handle(api, users.changeOwnPassword, async (request, reply) => {
    const { old_password: from, password: to } = request.body;
    const { email, sessionId } = userOf(request);
    const address = request.clientAddress;
    await changePassword(dependencies, { email, from, to, address, sessionId });
    return reply.status(201).send();
  });
}
