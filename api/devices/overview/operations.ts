import { Overview } from '../../../schemas/resources/overview.ts';
import { operations } from '../../http/operation.ts';

const view = {
  method: 'GET',
  answers: { 200: Overview },
  about:
    'Things by state, open alarms, webhooks that fail, refused messages, orgs over their quota, and how late the store is: all of one moment, in one statement.',
} as const;

export const overviews = operations('things', {
  viewOverview: {
    ...view,
    path: '/overview',
    needs: { kind: 'user' },
    summary: 'How one’s things are, and what is wrong now',
  },
  viewOrgOverview: {
    ...view,
    path: '/orgs/:id/overview',
    needs: { kind: 'member', role: 'viewer', of: 'org' },
    summary: 'How one’s things in an org are, and what is wrong now',
  },
  viewGroupOverview: {
    ...view,
    path: '/groups/:id/overview',
    needs: { kind: 'member', role: 'viewer', of: 'group' },
    summary: 'How the things of a group are, and what is wrong now',
  },
});
