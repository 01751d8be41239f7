import { Type } from 'typebox';
import { Uuid } from '../../../schemas/http/common.ts';
import {
  GroupMemberships,
  GroupMembershipsToChange,
  MembershipsQuery,
  MembershipsToRemove,
  NewGroupMemberships,
  NewOrgMemberships,
  OrgMembership,
  OrgMemberships,
  OrgMembershipsToChange,
} from '../../../schemas/resources/membership.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';

const MemberParams = Type.Object({ id: Uuid, memberId: Uuid });

export const orgMembers = operations('orgs', {
  addOrgMembers: {
    method: 'POST',
    path: '/orgs/:id/memberships',
    needs: { kind: 'member', role: 'admin', of: 'org' },
    body: NewOrgMemberships,
    answers: { 200: Empty },
    summary: 'Add members to an org',
    about: 'All of them or none. Their users must be registered.',
    errors: ['conflict'],
    audit: 'org_member',
  },
  changeOrgRoles: {
    method: 'PUT',
    path: '/orgs/:id/memberships',
    needs: { kind: 'member', role: 'admin', of: 'org' },
    body: OrgMembershipsToChange,
    answers: { 200: Empty },
    summary: 'Change roles of an org’s members',
    audit: 'org_member',
  },
  removeOrgMembers: {
    method: 'PATCH',
    path: '/orgs/:id/memberships',
    needs: { kind: 'member', role: 'admin', of: 'org' },
    body: MembershipsToRemove,
    answers: { 204: Empty },
    summary: 'Remove members from an org',
    audit: 'org_member',
    removes: true,
  },
  viewOrgMember: {
    method: 'GET',
    path: '/orgs/:id/members/:memberId',
    needs: { kind: 'member', role: 'viewer', of: 'org' },
    params: MemberParams,
    answers: { 200: OrgMembership },
    summary: 'View a member of an org',
  },
  listOrgMembers: {
    method: 'GET',
    path: '/orgs/:id/memberships',
    needs: { kind: 'member', role: 'viewer', of: 'org' },
    query: MembershipsQuery,
    answers: { 200: OrgMemberships },
    summary: 'List the members of an org',
  },
});

export const groupMembers = operations('groups', {
  addGroupMembers: {
    method: 'POST',
    path: '/groups/:id/memberships',
    needs: { kind: 'member', role: 'admin', of: 'group' },
    body: NewGroupMemberships,
    answers: { 201: Type.Object({}) },
    summary: 'Add members to a group',
    errors: ['conflict'],
    audit: 'group_member',
  },
  changeGroupRoles: {
    method: 'PUT',
    path: '/groups/:id/memberships',
    needs: { kind: 'member', role: 'admin', of: 'group' },
    body: GroupMembershipsToChange,
    answers: { 200: Empty },
    summary: 'Change roles of a group’s members',
    audit: 'group_member',
  },
  removeGroupMembers: {
    method: 'PATCH',
    path: '/groups/:id/memberships',
    needs: { kind: 'member', role: 'admin', of: 'group' },
    body: MembershipsToRemove,
    answers: { 204: Empty },
    summary: 'Remove members from a group',
    audit: 'group_member',
    removes: true,
  },
  listGroupMembers: {
    method: 'GET',
    path: '/groups/:id/memberships',
    needs: { kind: 'member', role: 'viewer', of: 'group' },
    query: MembershipsQuery,
    answers: { 200: GroupMemberships },
    summary: 'List the members of a group',
  },
});
