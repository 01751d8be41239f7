import { describe, expect, it } from 'vitest';
import {
  credentialsFor,
  type Operation,
  permissions,
  requirementOf,
  schemesOf,
} from './permissions.ts';

describe('what credentials do for an operation', () => {
  it.each<[Operation, readonly string[], readonly string[]]>([
    ['issueToken', [], ['Bearer']],
    ['listOrgs', ['token', 'session', 'apiKey'], ['Bearer']],
    ['issueKey', ['token', 'session'], ['Bearer']],
    ['viewOwnMetadata', ['thingKey'], ['Thing', 'External']],
    ['readMessages', ['token', 'session', 'apiKey', 'thingKey'], ['Bearer', 'Thing', 'External']],
  ])('%s takes %j, sent as %j', (operation, kinds, schemes) => {
    expect(credentialsFor(requirementOf(operation))).toEqual(kinds);
    expect(schemesOf(requirementOf(operation))).toEqual(schemes);
  });

  it('an API key manages no API keys', () => {
    const operations = ['issueKey', 'viewKey', 'listKeys', 'revokeKey'] as const;
    for (const operation of operations) expect(permissions[operation]).toEqual({ who: 'loggedIn' });
  });
});
