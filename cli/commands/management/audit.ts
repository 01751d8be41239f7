import type { Command } from 'commander';
import type { AuditFileQuery, AuditQuery } from '../../client/resources/audit.ts';
import { pageFlags } from '../../input/flags.ts';
import { UsageError } from '../../input/usage.ts';
import type { Call } from '../../invocation/call.ts';
import type { Add } from '../../invocation/command.ts';

const shown = [...pageFlags, 'from', 'to', 'dir'];
const written = ['from', 'to', 'convert'];

/** Who changed what: in an org, and on the whole platform. */
export function addAudit(group: Command, add: Add): void {
  const audit = add(
    group,
    'audit <org_id> [token]',
    'Show who changed what in an org, the last change first',
    async (call) => {
      const { orgs } = call.as(call.settings.urls.auth);
      await call.output.show(await orgs.audit.list(call.id('org_id'), pageOf(call)));
    },
    { uses: shown, examples: ['orgs audit $ORG --kind thing --action delete'] },
  );
  const all = add(
    audit,
    'all [token]',
    'Show who changed what on the platform, as the admin',
    async (call) => {
      const { orgs } = call.as(call.settings.urls.auth);
      await call.output.show(await orgs.audit.listAll({ ...pageOf(call), ...orgOf(call) }));
    },
    { uses: shown, examples: ['orgs audit all --actor ada@example.com'] },
  );
  const exported = add(
    audit,
    'export <org_id> [token]',
    'Write the changes in an org as a file: ndjson or csv, the first change first',
    async (call) => {
      const { save } = await import('../messages/transfer.ts');
      const { audit: log } = call.as(call.settings.urls.auth).orgs;
      await save(call, 'export', await log.export(call.id('org_id'), fileOf(call)));
    },
    { uses: written, examples: ['orgs audit export $ORG --convert csv > changes.csv'] },
  );
  const exportedAll = add(
    audit,
    'export-all [token]',
    'Write the changes on the platform as a file, as the admin',
    async (call) => {
      const { save } = await import('../messages/transfer.ts');
      const { audit: log } = call.as(call.settings.urls.auth).orgs;
      await save(call, 'export', await log.exportAll({ ...fileOf(call), ...orgOf(call) }));
    },
    { uses: written, examples: ['orgs audit export-all > changes.ndjson'] },
  );
  for (const command of [audit, all, exported, exportedAll]) addFilters(command);
  for (const command of [all, exportedAll]) {
    command.option('--org <id>', 'in this org, which may be gone');
  }
}

function addFilters(command: Command): void {
  command
    .option('--actor <user>', 'by this user, by id or e-mail')
    .option('--action <action>', 'create, update, delete or restore')
    .option('--operation <name>', 'by this operation of the API, such as moveThing')
    .option('--kind <kind>', 'of this kind of thing, such as thing or org_member')
    .option('--entity <id>', 'of what has this id');
}

function pageOf(call: Call): AuditQuery {
  const { page, messagePage } = call.settings;
  const { dir } = messagePage;
  return { ...page, ...wantedOf(call), ...(dir === undefined ? {} : { dir }) };
}

function fileOf(call: Call): AuditFileQuery {
  const { convert } = call.settings.exported;
  if (convert === undefined) return wantedOf(call);
  if (convert !== 'csv' && convert !== 'ndjson') throw new UsageError('--convert is csv or ndjson');
  return { ...wantedOf(call), convert };
}

/** What the server does not know it refuses by name. */
function wantedOf(call: Call): Omit<AuditFileQuery, 'convert'> {
  const given = {
    actor: call.flag('actor'),
    action: call.flag('action'),
    operation: call.flag('operation'),
    kind: call.flag('kind'),
    entity_id: call.flag('entity'),
  };
  const { from, to } = call.settings.filters;
  return Object.fromEntries(
    Object.entries({ ...given, from, to }).filter(([, value]) => value !== undefined),
  );
}

function orgOf(call: Call): { org_id?: string } {
  const id = call.flag('org');
  return id === undefined ? {} : { org_id: id };
}
