import { Type } from 'typebox';
import { about } from '../../../schemas/http/common.ts';
import { operations } from '../../http/operation.ts';
import { limits } from '../../limits.ts';

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

export const tokens = operations('users', {
  issueToken: {
    method: 'POST',
    path: '/tokens',
    needs: { kind: 'anyone' },
    body: Credentials,
    bodyBytesMax: limits.openBodyBytesMax,
    answers: { 201: Token },
    summary: 'Log in',
    about: 'The token is sent as `Authorization: Bearer <token>`. Failed logins are throttled.',
    errors: ['login_failed'],
    auditAlso: 'user',
  },
});
