import { Type } from 'typebox';
import { operations } from '../http/operation.ts';

const SignedIn = Type.Object({
  id: Type.String(),
  email: Type.String(),
  platform_admin: Type.Boolean(),
});

/** For browsers alone: the document has none of it. */
export const consoleOperations = operations('service', {
  viewHome: {
    method: 'GET',
    path: '/',
    needs: { kind: 'anyone' },
    summary: 'Where to go from here',
    undocumented: true,
    readsByItself: true,
  },
  /** The console's files, and signing in and out. */
  enterConsole: {
    method: 'GET',
    path: '/console/tokens.css',
    needs: { kind: 'anyone' },
    summary: 'The files of the console, signing in and out',
    undocumented: true,
    readsByItself: true,
    auditAlso: 'user',
  },
  viewSession: {
    method: 'GET',
    path: '/console/session',
    needs: { kind: 'user' },
    answers: { 200: SignedIn },
    summary: 'Who is signed in',
    undocumented: true,
  },
});
