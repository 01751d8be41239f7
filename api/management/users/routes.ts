import type { LoginDependencies } from '../../access/tokens/login.ts';
import { randomUUID } from 'node:crypto';
import {
  NewUser,
  PasswordChange,
  User,
  UserChange,
  Users,
  UsersQuery,
  UsersSearch,
} from '../../../schemas/resources/user.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { userOf } from '../../access/caller.ts';
import { listRoutes } from '../../access/list-routes.ts';
import { mustExist, present } from '../../http/errors.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, Empty, IdParams } from '../../http/schemas.ts';
import { hashInTurn } from '../../access/tokens/passwords.ts';
import { changePassword } from './password.ts';
import { findUserFor, findUsers, insertUser, updateUser } from './sql.ts';

export function userRoutes(api: Api, dependencies: LoginDependencies): void {
  const { db, budgets } = dependencies;

  api.route({
    method: 'POST',
    url: '/users',
    schema: { body: NewUser, response: { 201: Empty } },
    config: { operation: 'createUser' },
    handler: async (request, reply) => {
      const { email, password, metadata } = request.body;
      const id = randomUUID();
      const passwordHash = await hashInTurn(budgets, password);
      const user = { id, email, passwordHash, metadata: metadata ?? {} };
      await db.transaction((work) => insertUser(work, user));
      return reply.status(201).header('location', `/users/${id}`).send();
    },
  });

  api.route({
    method: 'GET',
    url: '/users/:id',
    schema: { params: IdParams, response: { 200: User } },
    config: { operation: 'viewUser' },
    handler: async (request) => {
      const found = present(await findUserFor(db, userOf(request), request.params.id), 'user');
      if (!found.visible) throw new DomainError('forbidden', 'needs an org in common');
      return found.user;
    },
  });

  api.route({
    method: 'GET',
    url: '/users/profile',
    schema: { response: { 200: User } },
    config: { operation: 'viewOwnUser' },
    handler: async (request) => {
      const me = userOf(request);
      return present(await findUserFor(db, me, me.id), 'user').user;
    },
  });

  const places = [{ of: 'all', url: '/users', list: 'listUsers', search: 'searchUsers' }] as const;
  const lists = { query: UsersQuery, search: UsersSearch, answer: Users };
  listRoutes(api, places, lists, async (user, _scope, query) => {
    const { total, rows } = await findUsers(db, user, query);
    return { ...envelope(query, total), Users: rows, users: rows };
  });

  api.route({
    method: 'PUT',
    url: '/users',
    schema: { body: UserChange, response: { 200: Empty } },
    config: { operation: 'updateOwnMetadata' },
    handler: async (request, reply) => {
      mustExist(await updateUser(db, userOf(request).id, request.body), 'user');
      return reply.send();
    },
  });

  api.route({
    method: 'PATCH',
    url: '/password',
    schema: { body: PasswordChange, response: { 201: Empty } },
    config: { operation: 'changeOwnPassword' },
    handler: async (request, reply) => {
      const { old_password: from, password: to } = request.body;
      const { email, sessionId } = userOf(request);
      const address = request.clientAddress;
      await changePassword(dependencies, { email, from, to, address, sessionId });
      return reply.status(201).send();
    },
  });
}
