import {
  AuditEntries,
  AuditEntry,
  AuditFileQuery,
  AuditQuery,
  OrgAuditFileQuery,
  OrgAuditQuery,
} from '../../../schemas/resources/audit.ts';
import { exampleOf } from '../../../schemas/http/examples.ts';
import { operations } from '../../http/operation.ts';

/** For the document. */
const auditFile = {
  200: {
    content: {
      'application/x-ndjson': {
        schema: { type: 'string', description: 'A JSON object for each entry, one to a line.' },
        example: `${JSON.stringify(exampleOf(AuditEntry, {}))}\n`,
      },
      'text/csv': {
        schema: {
          type: 'string',
          description:
            'A line of names (the members of an entry), and one for each entry. `changes` is JSON in its cell. Text that a spreadsheet would run as a formula has a single quote before it.',
        },
        example:
          '"id","at","org_id","group_id","actor_type","actor_id","actor_email","api_key_id","address","request_id","operation","action","kind","entity_id","entity_name","changes"\n4711,"2026-11-21T10:00:00.000Z",,,"system",,,,,,,"update","webhook","3f1c7a10-0b0a-4f0e-8b1a-9c569a3e2f6f","hook","{""disabled_why"":{""to"":""gone""}}"\n',
      },
    },
  },
};

export const audit = operations('orgs', {
  listOrgAudit: {
    method: 'GET',
    path: '/orgs/:id/audit',
    needs: { kind: 'member', role: 'admin', of: 'org' },
    query: OrgAuditQuery,
    answers: { 200: AuditEntries },
    summary: 'List the changes made in an org',
    about:
      'Who changed what in the org, when and from where, the latest first. An entry is written in the transaction of its change. What was deleted with something else has no entry of its own.',
  },
  listAudit: {
    method: 'GET',
    path: '/audit',
    needs: { kind: 'platformAdmin' },
    query: AuditQuery,
    answers: { 200: AuditEntries },
    summary: 'List the changes made on the platform',
    about:
      'Of all orgs, and of what is in none: users, API keys, sessions, hierarchical groups, queues, restores.',
  },
  exportOrgAudit: {
    method: 'GET',
    path: '/orgs/:id/audit/export',
    head: false,
    needs: { kind: 'member', role: 'admin', of: 'org' },
    query: OrgAuditFileQuery,
    written: auditFile,
    summary: 'Export the changes made in an org',
    about: 'The same as a file, the earliest first.',
  },
  exportAudit: {
    method: 'GET',
    path: '/audit/export',
    head: false,
    needs: { kind: 'platformAdmin' },
    query: AuditFileQuery,
    written: auditFile,
    summary: 'Export the changes made on the platform',
    about: 'The same as a file, the earliest first.',
  },
});
