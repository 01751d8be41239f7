import type { Command } from 'commander';
import type { AlarmPlace, Answers, Download, Requests } from '../../schemas/client/client.ts';
import { unitText } from '../../schemas/messages/units.ts';
import { type AnyFields, sorting, text, truth } from '../input/fields.ts';
import { pageFlags } from '../input/flags.ts';
import { UsageError } from '../input/usage.ts';
import type { Call } from '../invocation/call.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import { cell, harmless } from '../terminal/output/cell.ts';
import { stringify } from '../terminal/output/stringify.ts';
import { RowWriter } from '../terminal/output/row-writer.ts';
import { groupOrAll, of, show } from './ordinary.ts';

type Alarm = Answers['viewAlarm'];
type AlarmFileQuery = NonNullable<Requests['exportGroupAlarms']['query']>;

const filters: AnyFields = {
  state: text('--state <state>', 'open (firing or clearing), firing, clearing or ended'),
  severity: text('--severity <severity>', 'info, warning or critical'),
  rule_id: text('--rule <id>', 'of this rule'),
  acknowledged: truth('--acknowledged <true|false>', 'whether somebody has acknowledged them'),
};
const listFilters: AnyFields = {
  ...sorting,
  order: { ...sorting.order, about: 'what they are sorted by: fired_at (default), id or severity' },
  ...filters,
};

export const addCommands: AddCommands = (group, add) => {
  addLists(group, add);
  add(group, 'get <alarm_id> [token]', 'Show an alarm', show('viewAlarm', of('alarm_id'))).alias(
    'show',
  );
  add(
    group,
    'acknowledge <alarm_id> [token]',
    'Say that you see to an alarm: it is not told again',
    show('acknowledgeAlarm', (call) => ({ ...of('alarm_id')(call), body: noteOf(call) })),
    { examples: ['alarms acknowledge $ALARM --note "door was open"'] },
  ).option('--note <text>', 'a note, which replaces the one before');
  addExports(group, add);
  addWatch(group, add);
};

const noteOf = (call: Call) => {
  const note = call.flag('note');
  return note === undefined ? {} : { note };
};

function addLists(group: Command, add: Add): void {
  const asked = (argument: string) => (call: Call) => ({
    ...of(argument)(call),
    query: { ...call.query(), ...timesOf(call) },
  });
  const extras = { fields: listFilters, uses: [...pageFlags, 'from', 'to'] };
  const list = add(
    group,
    'list [group_id|token] [token]',
    'List the alarms of all your groups, the latest first; or of a group, a thing, or an org',
    async (call) => {
      const { group: id, token } = groupOrAll(call);
      const query = { ...call.query(), ...timesOf(call) };
      const client = call.as('things', token);
      const answer: object =
        id === undefined
          ? await client.call('listAlarms', { query })
          : await client.call('listGroupAlarms', { path: { id }, query });
      await call.output.show(answer);
    },
    {
      ...extras,
      examples: ['alarms list --state open', 'alarms list $GROUP --state open --severity critical'],
    },
  );
  add(
    list,
    'by-thing <thing_id> [token]',
    'List the alarms of a thing',
    show('listThingAlarms', asked('thing_id')),
    { ...extras, examples: ['alarms list by-thing $THING --from -7d'] },
  );
  add(
    list,
    'by-org <org_id> [token]',
    'List the alarms of your groups in an org',
    show('listOrgAlarms', asked('org_id')),
    extras,
  );
}

function addExports(group: Command, add: Add): void {
  const places = [
    { of: 'thing', what: 'a thing', operation: 'exportThingAlarms' },
    { of: 'org', what: 'your groups in an org', operation: 'exportOrgAlarms' },
  ] as const;
  const extras = { fields: filters, uses: ['from', 'to', 'convert', 'bom'] } as const;
  const all = add(
    group,
    'export [group_id|token] [token]',
    'Write the alarms of all your groups, or of a group, as a file: ndjson or csv, as they fired',
    async (call) => {
      const { group: id, token } = groupOrAll(call);
      const query = fileOf(call);
      const client = call.as('things', token);
      const file =
        id === undefined
          ? client.download('exportAlarms', { query })
          : client.download('exportGroupAlarms', { path: { id }, query });
      await saveFile(call, await file);
    },
    {
      ...extras,
      examples: [
        'alarms export --state open > alarms.ndjson',
        'alarms export $GROUP --convert csv > alarms.csv',
      ],
    },
  );
  for (const { of: place, what, operation } of places) {
    const id = `${place}_id`;
    add(
      all,
      `by-${place} <${id}> [token]`,
      `Write the alarms of ${what} as a file: ndjson or csv, as they fired`,
      async (call) => {
        const request = { ...of(id)(call), query: fileOf(call) };
        await saveFile(call, await call.as('things').download(operation, request));
      },
      {
        ...extras,
        examples: [`alarms export by-${place} $${place.toUpperCase()} --convert csv > alarms.csv`],
      },
    );
  }
}

async function saveFile(call: Call, file: Download): Promise<void> {
  const { save } = await import('./messages/transfer.ts');
  await save(call, 'export', file);
}

function addWatch(group: Command, add: Add): void {
  const watch = add(
    group,
    'watch [group_id|token] [token]',
    'Show the alarms of all your groups, or of a group, as they change, a line each, until you stop it',
    (call) => {
      const { group: id, token } = groupOrAll(call);
      return follow(call, id === undefined ? { of: 'all' } : { of: 'group', id }, token);
    },
  );
  add(
    watch,
    'by-org <org_id> [token]',
    'Show those of your groups in an org as they change',
    (call) => follow(call, { of: 'org', id: call.id('org_id') }),
  );
}

const columns = 'id,state,severity,rule_name,thing_name,fired_at,ended_at,ended_why,note'.split(
  ',',
);

async function follow(call: Call, place: AlarmPlace, token?: string): Promise<void> {
  const { settings, output, context } = call;
  if (settings.output === 'json') {
    throw new UsageError('a list without an end is no JSON: use -o ndjson');
  }
  const writer = new RowWriter(output, columns);
  const live = call.as('things', token).followAlarms(place, {
    onLost: (_error, waitMs) =>
      context.stderr.write(`connection lost: again in ${Math.ceil(waitMs / 1_000)} s\n`),
  });
  for await (const alarm of live) {
    if (output.format === 'table') await output.write(`${lineOf(alarm)}\n`);
    else if (output.format === 'csv') await writer.write({ ...alarm });
    else await output.write(`${stringify(alarm)}\n`);
  }
}

/** An alarm on one line of a terminal. */
function lineOf(alarm: Alarm): string {
  const { state, severity, rule_name: rule, thing_name: thing, ended_at: ended } = alarm;
  const values = (ended === undefined ? alarm.began_values : alarm.ended_values) ?? [];
  const { acknowledged_by_email: by, note = '' } = alarm;
  return [
    ended ?? alarm.fired_at,
    state,
    severity,
    rule,
    thing,
    values
      .map(({ name, value, unit = '' }) => `${name} ${cell(value)} ${unitText(unit)}`.trimEnd())
      .join(', '),
    by === undefined ? '' : `acknowledged by ${by}${note === '' ? '' : `: ${note}`}`,
  ]
    .filter((part) => part !== '')
    .map(harmless)
    .join('  ');
}

function fileOf(call: Call): AlarmFileQuery {
  const { convert, bom } = call.settings.exported;
  const wanted = { ...call.filters(), ...timesOf(call), ...(bom === undefined ? {} : { bom }) };
  if (convert === undefined) return wanted;
  if (convert === 'csv' || convert === 'ndjson') return { ...wanted, convert };
  throw new UsageError('--convert is csv or ndjson');
}

function timesOf(call: Call): Pick<AlarmFileQuery, 'from' | 'to'> {
  const { from, to } = call.settings.filters;
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
