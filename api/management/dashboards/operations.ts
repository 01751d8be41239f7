import { Type } from 'typebox';
import { about, Uuid } from '../../../schemas/http/common.ts';
import {
  Dashboard,
  DashboardChange,
  Dashboards,
  DashboardsQuery,
  DashboardsSearch,
  DashboardVersion,
  DashboardVersions,
  NewDashboard,
} from '../../../schemas/resources/dashboard.ts';
import { listing, type ListPlace } from '../../http/listing.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';

const { list, search } = listing({
  query: DashboardsQuery,
  search: DashboardsSearch,
  answer: Dashboards,
});
const inOrg: ListPlace = {
  path: '/orgs/:id/dashboards',
  needs: { kind: 'member', role: 'viewer', of: 'org' },
  what: 'the dashboards of an org, and of one’s groups in it',
};
const inGroup: ListPlace = {
  path: '/groups/:id/dashboards',
  needs: { kind: 'member', role: 'viewer', of: 'group' },
  what: 'the dashboards of a group',
};

const creation = {
  method: 'POST',
  body: NewDashboard,
  answers: { 201: Dashboard },
  errors: ['conflict'],
  location: 'the dashboard',
  audit: 'dashboard',
} as const;

const VersionParams = Type.Object({
  id: Uuid,
  version: about(Type.String({ pattern: '^[1-9]\\d{0,8}$' }), 'Number of the version.', '1'),
});

export const dashboards = operations('dashboards', {
  createOrgDashboard: {
    ...creation,
    path: '/orgs/:id/dashboards',
    needs: { kind: 'member', role: 'editor', of: 'org' },
    summary: 'Create a dashboard of an org',
    about:
      'Its members see it. What its panels show is what the reader may read: a role in an org reaches no group.',
  },
  createGroupDashboard: {
    ...creation,
    path: '/groups/:id/dashboards',
    needs: { kind: 'member', role: 'editor', of: 'group' },
    summary: 'Create a dashboard of a group',
  },
  listOrgDashboards: list(inOrg),
  searchOrgDashboards: search(inOrg),
  listGroupDashboards: list(inGroup),
  searchGroupDashboards: search(inGroup),
  viewDashboard: {
    method: 'GET',
    path: '/dashboards/:id',
    needs: { kind: 'member', role: 'viewer', of: 'dashboard' },
    answers: { 200: Dashboard },
    summary: 'View a dashboard',
  },
  updateDashboard: {
    method: 'PUT',
    path: '/dashboards/:id',
    needs: { kind: 'member', role: 'editor', of: 'dashboard' },
    body: DashboardChange,
    answers: { 200: Dashboard },
    summary: 'Change a dashboard',
    about:
      'It carries the `version` that the change was made from, and is refused where somebody has changed it since: `error` names the version that there is. What it was stays, for the last 50 changes.',
    errors: ['conflict'],
    audit: 'dashboard',
  },
  deleteDashboard: {
    method: 'DELETE',
    path: '/dashboards/:id',
    needs: { kind: 'member', role: 'editor', of: 'dashboard' },
    answers: { 204: Empty },
    summary: 'Delete a dashboard, its versions and its shares',
    audit: 'dashboard',
    removes: true,
  },
  listDashboardVersions: {
    method: 'GET',
    path: '/dashboards/:id/versions',
    needs: { kind: 'member', role: 'viewer', of: 'dashboard' },
    answers: { 200: DashboardVersions },
    summary: 'List the versions of a dashboard: who saved it, and when',
  },
  viewDashboardVersion: {
    method: 'GET',
    path: '/dashboards/:id/versions/:version',
    needs: { kind: 'member', role: 'viewer', of: 'dashboard' },
    params: VersionParams,
    answers: { 200: DashboardVersion },
    summary: 'View a version of a dashboard',
    about: 'Who wants it back changes the dashboard to its content.',
  },
});
