import {
  ApiKey,
  ApiKeys,
  ApiKeysQuery,
  IssuedApiKey,
  NewApiKey,
} from '../../../schemas/resources/api-key.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';

export const keys = operations('keys', {
  issueKey: {
    method: 'POST',
    path: '/keys',
    needs: { kind: 'loggedIn' },
    body: NewApiKey,
    answers: { 201: IssuedApiKey },
    summary: 'Issue an API key',
    about:
      'The key has the rights of its issuer, but can not manage keys. It is sent as `Authorization: Bearer <value>`.',
    audit: 'api_key',
  },
  viewKey: {
    method: 'GET',
    path: '/keys/:id',
    needs: { kind: 'loggedIn' },
    answers: { 200: ApiKey },
    summary: 'View one of one’s API keys',
    errors: ['not_found'],
  },
  listKeys: {
    method: 'GET',
    path: '/keys',
    needs: { kind: 'loggedIn' },
    query: ApiKeysQuery,
    answers: { 200: ApiKeys },
    summary: 'List one’s API keys',
  },
  revokeKey: {
    method: 'DELETE',
    path: '/keys/:id',
    needs: { kind: 'loggedIn' },
    answers: { 204: Empty },
    summary: 'Revoke one of one’s API keys',
    about: 'Takes hold at once.',
    errors: ['not_found'],
    audit: 'api_key',
    removes: true,
  },
});
