import type { Command } from 'commander';
import type { Download, Requests } from '../../schemas/client/client.ts';
import { type AnyFields, sorting, text, truth } from '../input/fields.ts';
import { pageFlags } from '../input/flags.ts';
import { UsageError } from '../input/usage.ts';
import type { Call } from '../invocation/call.ts';
import type { Add } from '../invocation/command.ts';
import { of, show } from './ordinary.ts';

type AuditFileQuery = NonNullable<Requests['exportAudit']['query']>;

/** Which changes are shown. */
const inOrg: AnyFields = {
  actor: text('--actor <user>', 'by this user, by id or e-mail'),
  action: text('--action <action>', 'create, update, delete or restore'),
  operation: text('--operation <name>', 'by this operation of the API, such as moveThing'),
  kind: text('--kind <kind>', 'of this kind, such as thing or org_member'),
  entity_id: text('--entity <id>', 'of what has this id'),
  request_id: text('--request <id>', 'made by the request with this id'),
};
const anywhere: AnyFields = {
  ...inOrg,
  org_id: text('--org <id>', 'in this org, which may be gone'),
};
const { dir } = sorting;
const grouped = truth('--grouped <true|false>', 'whether changes of one request are shown as one');

/** Who changed what: in an org, and on the whole platform. */
export function addAudit(group: Command, add: Add): void {
  const uses = [...pageFlags, 'from', 'to'];
  const queryOf = (call: Call) => ({ query: { ...call.query(), ...timesOf(call) } });
  const audit = add(
    group,
    'audit <org_id> [token]',
    'Show who changed what in an org, the last change first',
    show('listOrgAudit', (call) => ({ ...of('org_id')(call), ...queryOf(call) })),
    {
      fields: { ...inOrg, grouped, dir },
      uses,
      examples: ['orgs audit $ORG --kind thing --action delete'],
    },
  );
  add(
    audit,
    'all [token]',
    'Show who changed what on the platform, as the admin',
    show('listAudit', queryOf),
    {
      fields: { ...anywhere, grouped, dir },
      uses,
      examples: ['orgs audit all --actor ada@example.com'],
    },
  );
  addExports(audit, add);
}

function addExports(audit: Command, add: Add): void {
  const uses = ['from', 'to', 'convert', 'bom'];
  add(
    audit,
    'export <org_id> [token]',
    'Write the changes in an org as a file: ndjson or csv, the first change first',
    async (call) => {
      const request = { ...of('org_id')(call), query: fileOf(call) };
      await saved(call, await call.as('auth').download('exportOrgAudit', request));
    },
    { fields: inOrg, uses, examples: ['orgs audit export $ORG --convert csv > changes.csv'] },
  );
  add(
    audit,
    'export-all [token]',
    'Write the changes on the platform as a file, as the admin',
    async (call) => {
      const request = { query: fileOf(call) };
      await saved(call, await call.as('auth').download('exportAudit', request));
    },
    {
      fields: anywhere,
      uses,
      examples: ['orgs audit export-all --kind user > changes.ndjson'],
    },
  );
}

async function saved(call: Call, file: Download): Promise<void> {
  const { save } = await import('./messages/transfer.ts');
  await save(call, 'export', file);
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
