import { describe, expect, it } from 'vitest';
import { removals } from '../../../permissions.ts';
import type { Asked } from './asked.ts';
import { places } from '../../../../schemas/client/generated/places.ts';

/** The compiler wants each of them, and no other. */
const asked: Readonly<Record<Asked, true>> = {
  revokeKey: true,
  endSession: true,
  endAllSessions: true,
  deleteOrg: true,
  removeOrgMembers: true,
  revokeInvite: true,
  deleteGroup: true,
  deleteGroups: true,
  removeGroupMembers: true,
  deleteProfile: true,
  deleteProfiles: true,
  deleteThing: true,
  deleteThings: true,
  removeExternalKey: true,
  revokeCertificate: true,
  deleteWebhooks_delete: true,
  deleteWebhooks_patch: true,
  deleteTreeGroup: true,
  removeTreeMembers: true,
  deleteMessages_senml: true,
  deleteMessages_json: true,
  deleteMessagesOfThing_senml: true,
  deleteMessagesOfThing_json: true,
  changeOrgRoles: true,
  changeGroupRoles: true,
  declineInvite: true,
  replayWebhook: true,
};

describe('a person is asked first', () => {
  it('before each operation of the API that removes something', () => {
    const known: ReadonlySet<string> = removals;
    const removing = Object.keys(places).filter((name) => known.has(name.replace(/_\w+$/, '')));
    expect(removing.length).toBeGreaterThanOrEqual(removals.size);
    expect(removing.filter((name) => !Object.hasOwn(asked, name))).toEqual([]);
  });
});
