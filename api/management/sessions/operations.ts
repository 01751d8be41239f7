import { Sessions, SessionsQuery } from '../../../schemas/resources/user.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';

export const sessions = operations('sessions', {
  listSessions: {
    method: 'GET',
    path: '/sessions',
    needs: { kind: 'loggedIn' },
    query: SessionsQuery,
    answers: { 200: Sessions },
    summary: 'List one’s sessions',
    about:
      'Browsers that are signed in to the console as the caller. Tokens of `POST /tokens` are not among them: nothing is stored of those.',
  },
  endSession: {
    method: 'DELETE',
    path: '/sessions/:id',
    needs: { kind: 'loggedIn' },
    answers: { 204: Empty },
    summary: 'End one of one’s sessions',
    about: 'Takes hold at once: the browser must sign in again.',
    errors: ['not_found'],
    audit: 'session',
    removes: true,
  },
  endAllSessions: {
    method: 'DELETE',
    path: '/sessions',
    needs: { kind: 'loggedIn' },
    answers: { 204: Empty },
    summary: 'End all of one’s sessions and tokens',
    about:
      'Sign out everywhere: ends all sessions and all tokens of the caller at once, also what this request came with. API keys stay.',
    audit: 'session',
    removes: true,
  },
});
