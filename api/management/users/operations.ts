import {
  NewUser,
  PasswordChange,
  User,
  UserChange,
  Users,
  UsersQuery,
  UsersSearch,
} from '../../../schemas/resources/user.ts';
import { listing, type ListPlace } from '../../http/listing.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';

const all: ListPlace = {
  path: '/users',
  needs: { kind: 'user' },
  what: 'users',
  about:
    'The platform admin sees all, anyone else themselves and the members of their orgs. The list is named `Users`, and `users` as well.',
};
const { list, search } = listing({ query: UsersQuery, search: UsersSearch, answer: Users });

export const users = operations('users', {
  createUser: {
    method: 'POST',
    path: '/users',
    needs: { kind: 'platformAdmin' },
    body: NewUser,
    answers: { 201: Empty },
    summary: 'Create a user',
    about: 'Answers no body: `Location` has the id.',
    errors: ['conflict'],
    location: 'the user',
    audit: 'user',
  },
  viewUser: {
    method: 'GET',
    path: '/users/:id',
    needs: { kind: 'user' },
    answers: { 200: User },
    summary: 'View a user',
    about: 'Oneself, members of a shared org, and for the platform admin everyone.',
    errors: ['forbidden', 'not_found'],
  },
  viewOwnUser: {
    method: 'GET',
    path: '/users/profile',
    needs: { kind: 'user' },
    answers: { 200: User },
    summary: 'View oneself',
  },
  listUsers: list(all),
  searchUsers: search(all),
  updateOwnMetadata: {
    method: 'PUT',
    path: '/users',
    needs: { kind: 'user' },
    body: UserChange,
    answers: { 200: Empty },
    summary: 'Change one’s own metadata',
    audit: 'user',
  },
  changeOwnPassword: {
    method: 'PATCH',
    path: '/password',
    needs: { kind: 'user' },
    body: PasswordChange,
    answers: { 201: Empty },
    summary: 'Change one’s own password',
    about:
      'Ends all tokens that were issued before, and all sessions of the console but the one that asks.',
    audit: 'user',
  },
});
