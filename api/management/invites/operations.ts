import {
  Invite,
  InvitesOfUser,
  NewOrgInvite,
  NewPlatformInvite,
  OrgInvites,
  OrgInvitesQuery,
  PlatformInvites,
  PlatformInvitesQuery,
  Registration,
} from '../../../schemas/resources/invite.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';

const ofUser = {
  needs: { kind: 'user' },
  query: OrgInvitesQuery,
  answers: { 200: InvitesOfUser },
  errors: ['forbidden', 'not_found'],
} as const;

export const invites = operations('invites', {
  createOrgInvite: {
    method: 'POST',
    path: '/orgs/:id/invites',
    needs: { kind: 'member', role: 'admin', of: 'org' },
    body: NewOrgInvite,
    answers: { 201: Empty },
    summary: 'Invite a user to an org',
    about: 'A mail is sent to the user.',
    errors: ['conflict'],
    location: 'the invite',
    audit: 'invite',
  },
  listOrgInvites: {
    method: 'GET',
    path: '/orgs/:id/invites',
    needs: { kind: 'member', role: 'admin', of: 'org' },
    query: OrgInvitesQuery,
    answers: { 200: OrgInvites },
    summary: 'List the invites to an org',
  },
  createPlatformInvite: {
    method: 'POST',
    path: '/invites',
    needs: { kind: 'platformAdmin' },
    body: NewPlatformInvite,
    answers: { 201: Empty },
    summary: 'Invite someone to the platform',
    about: 'A mail is sent. Answers no body: `Location` has the id.',
    errors: ['not_found', 'conflict'],
    location: 'the invite',
    audit: 'invite',
  },
  listPlatformInvites: {
    method: 'GET',
    path: '/invites',
    needs: { kind: 'platformAdmin' },
    query: PlatformInvitesQuery,
    answers: { 200: PlatformInvites },
    summary: 'List the invites to the platform',
  },
  registerByInvite: {
    method: 'POST',
    path: '/register/invite/:id',
    needs: { kind: 'anyone' },
    body: Registration,
    bodyBytesMax: limits.openBodyBytesMax,
    answers: { 201: Empty },
    summary: 'Register as a platform invite’s invitee',
    about: 'Makes the account of who was invited. The e-mail must be that of the invite.',
    errors: ['forbidden', 'not_found', 'conflict'],
    audit: 'user',
  },
  /** For the invitee, the inviter, the org's admins, the platform admin. */
  viewInvite: {
    method: 'GET',
    path: '/invites/:id',
    needs: { kind: 'user' },
    answers: { 200: Invite },
    summary: 'View an invite of either kind',
    errors: ['forbidden', 'not_found'],
  },
  /** For the invitee. */
  acceptInvite: {
    method: 'POST',
    path: '/invites/:id/accept',
    needs: { kind: 'user' },
    answers: { 201: Empty },
    summary: 'Accept an org invite',
    about: 'For the invitee, who becomes a member of the org and of the groups in the invite.',
    errors: ['forbidden', 'not_found'],
    audit: 'invite',
  },
  /** For the invitee. */
  declineInvite: {
    method: 'POST',
    path: '/invites/:id/decline',
    needs: { kind: 'user' },
    answers: { 204: Empty },
    summary: 'Decline an org invite',
    about: 'For the invitee.',
    errors: ['forbidden', 'not_found'],
    audit: 'invite',
  },
  /** For the inviter. */
  revokeInvite: {
    method: 'DELETE',
    path: '/invites/:id',
    needs: { kind: 'user' },
    answers: { 204: Empty },
    summary: 'Revoke an org invite',
    about: 'For the inviter.',
    errors: ['forbidden', 'not_found'],
    audit: 'invite',
    removes: true,
  },
  /** One's own; for the platform admin everyone's. */
  listReceivedInvites: {
    method: 'GET',
    path: '/users/:id/invites/received',
    ...ofUser,
    summary: 'List the invites a user got',
  },
  listSentInvites: {
    method: 'GET',
    path: '/users/:id/invites/sent',
    ...ofUser,
    summary: 'List the invites a user sent',
  },
});
