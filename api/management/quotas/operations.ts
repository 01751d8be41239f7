import { QuotaChange, Usage } from '../../../schemas/resources/quota.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';

export const quotas = operations('orgs', {
  setOrgQuota: {
    method: 'PUT',
    path: '/orgs/:id/quota',
    needs: { kind: 'platformAdmin' },
    body: QuotaChange,
    answers: { 200: Empty },
    summary: 'Set the quota of an org',
    about:
      'What is there already stays, however much it is: the limits hold for what comes. Edges know of a change within a few seconds.',
    errors: ['not_found'],
    audit: 'quota',
  },
  viewOrgUsage: {
    method: 'GET',
    path: '/orgs/:id/usage',
    needs: { kind: 'member', role: 'admin', of: 'org' },
    answers: { 200: Usage },
    summary: 'View what an org has and sent, and its quota',
  },
});
