import { Type } from 'typebox';
import { about } from '../../../schemas/http/common.ts';
import {
  DashboardShares,
  MadeDashboardShare,
  NewDashboardShare,
  SharedDashboard,
  SharedData,
  SharedRange,
} from '../../../schemas/resources/dashboard-share.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';

const Token = about(
  Type.String({ minLength: 1, maxLength: 128 }),
  'Token of the share.',
  'mrs_ZmlmdHktb25lIHJhbmRvbSBieXRlcyBvZiBiYXNlNjQ',
);
const panelId = Type.String({ pattern: '^[\\w-]{1,36}$' });

export const shares = operations('dashboards', {
  createDashboardShare: {
    method: 'POST',
    path: '/dashboards/:id/shares',
    needs: { kind: 'member', role: 'editor', of: 'dashboard' },
    body: NewDashboardShare,
    answers: { 201: MadeDashboardShare },
    location: 'the share',
    summary: 'Share a dashboard with people who have no account, until a time',
    about:
      'Whoever has the token sees the dashboard, and what its maker may read then: where that right ends, so does the share. The token is told this once.',
    errors: ['conflict'],
    audit: 'dashboard_share',
  },
  listDashboardShares: {
    method: 'GET',
    path: '/dashboards/:id/shares',
    needs: { kind: 'member', role: 'editor', of: 'dashboard' },
    answers: { 200: DashboardShares },
    summary:
      'List the shares of a dashboard: whom they are for, when they end, when they were last used',
  },
  deleteDashboardShare: {
    method: 'DELETE',
    path: '/shares/:id',
    needs: { kind: 'member', role: 'editor', of: 'share' },
    answers: { 204: Empty },
    summary: 'End a share now',
    audit: 'dashboard_share',
    removes: true,
  },
  viewSharedDashboard: {
    method: 'GET',
    path: '/shared/:token',
    needs: { kind: 'anyone' },
    params: Type.Object({ token: Token }),
    answers: { 200: SharedDashboard },
    summary: 'View a dashboard by a share',
    errors: ['not_found', 'too_many'],
  },
  readSharedPanel: {
    method: 'GET',
    path: '/shared/:token/panels/:panel',
    needs: { kind: 'anyone' },
    params: Type.Object({
      token: Token,
      panel: about(panelId, 'Id of the panel.', 'cold-room'),
    }),
    query: SharedRange,
    answers: { 200: SharedData },
    summary: 'Read what a panel of a shared dashboard shows',
    about:
      'By the series of the panel and no others, within the range of the dashboard, and as the maker of the share may read now. Variables have their defaults.',
    errors: ['not_found', 'too_many'],
  },
});
