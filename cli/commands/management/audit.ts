import type { Command } from 'commander';
import type { AuditFileQuery } from '../../../schemas/client/resources/audit.ts';
import { type AnyFields, sorting, text } from '../../input/fields.ts';
import { pageFlags } from '../../input/flags.ts';
import { UsageError } from '../../input/usage.ts';
import type { Call } from '../../invocation/call.ts';
import type { Add } from '../../invocation/command.ts';

/** Which changes are shown. */
const inOrg: AnyFields = {
  actor: text('--actor <user>', 'by this user, by id or e-mail'),
  action: text('--action <action>', 'create, update, delete or restore'),
  operation: text('--operation <name>', 'by this operation of the API, such as moveThing'),
  kind: text('--kind <kind>', 'of this kind, such as thing or org_member'),
  entity_id: text('--entity <id>', 'of what has this id'),
};
const anywhere: AnyFields = {
  ...inOrg,
  org_id: text('--org <id>', 'in this org, which may be gone'),
};
const { dir } = sorting;

/** Who changed what: in an org, and on the whole platform. */
export function addAudit(group: Command, add: Add): void {
  const audit = add(
    group,
    'audit <org_id> [token]',
    'Show who changed what in an org, the last change first',
    async (call) => {
      const { orgs } = call.as(call.settings.urls.auth);
      const query = { ...call.query(), ...timesOf(call) };
      await call.output.show(await orgs.audit.list(call.id('org_id'), query));
    },
    {
      fields: { ...inOrg, dir },
      uses: [...pageFlags, 'from', 'to'],
      examples: ['orgs audit $ORG --kind thing --action delete'],
    },
  );
  add(
    audit,
    'all [token]',
    'Show who changed what on the platform, as the admin',
    async (call) => {
      const { orgs } = call.as(call.settings.urls.auth);
      await call.output.show(await orgs.audit.listAll({ ...call.query(), ...timesOf(call) }));
    },
    {
      fields: { ...anywhere, dir },
      uses: [...pageFlags, 'from', 'to'],
      examples: ['orgs audit all --actor ada@example.com'],
    },
  );
  addExports(audit, add);
}

function addExports(audit: Command, add: Add): void {
  add(
    audit,
    'export <org_id> [token]',
    'Write the changes in an org as a file: ndjson or csv, the first change first',
    async (call) => {
      const { save } = await import('../messages/transfer.ts');
      const { audit: log } = call.as(call.settings.urls.auth).orgs;
      await save(call, 'export', await log.export(call.id('org_id'), fileOf(call)));
    },
    {
      fields: inOrg,
      uses: ['from', 'to', 'convert', 'bom'],
      examples: ['orgs audit export $ORG --convert csv > changes.csv'],
    },
  );
  add(
    audit,
    'export-all [token]',
    'Write the changes on the platform as a file, as the admin',
    async (call) => {
      const { save } = await import('../messages/transfer.ts');
      const { audit: log } = call.as(call.settings.urls.auth).orgs;
      await save(call, 'export', await log.exportAll(fileOf(call)));
    },
    {
      fields: anywhere,
      uses: ['from', 'to', 'convert', 'bom'],
      examples: ['orgs audit export-all --kind user > changes.ndjson'],
    },
  );
}

function fileOf(call: Call): AuditFileQuery {
  const { convert, bom } = call.settings.exported;
  const wanted = { ...call.filters(), ...timesOf(call), ...(bom === undefined ? {} : { bom }) };
  if (convert === undefined) return wanted;
  if (convert === 'csv' || convert === 'ndjson') return { ...wanted, convert };
  throw new UsageError('--convert is csv or ndjson');
}

function timesOf(call: Call): Pick<AuditFileQuery, 'from' | 'to'> {
  const { from, to } = call.settings.filters;
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
