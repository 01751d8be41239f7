import type { Command } from 'commander';
import { having } from '../../../schemas/client/shape.ts';
import { exportFlags, filterFlags } from '../../input/message-flags.ts';
import type { Call } from '../../invocation/call.ts';
import type { Add, AddCommands } from '../../invocation/command.ts';
import type { MessageFormat } from '../../../schemas/client/live.ts';
import { show } from '../ordinary.ts';
import { addDelete } from './delete.ts';
import { formatOf, formats } from './format.ts';
import { addRead } from './read.ts';
import { addSend } from './send.ts';

export const addCommands: AddCommands = (group, add) => {
  addSend(group, add);
  addRead(group, add);
  addSearch(group, add);
  addTail(group, add);
  addExport(group, add);
  addBackup(group, add);
  addDelete(group, add);
};

function addSearch(group: Command, add: Add): void {
  const searches = group
    .command('search')
    .description('Search messages by JSON, one query or a list of them');
  for (const format of formats) {
    add(
      searches,
      `${format} <JSON> [token]`,
      `Search ${format} messages`,
      show(`searchMessages_${format}`, (call) => ({
        body: call.object('JSON', having<object>()),
      })),
      { json: '{"name":"temperature","limit":10}' },
    );
  }
}

function addTail(group: Command, add: Add): void {
  const tail = add(
    group,
    'tail [token]',
    'Show messages as they come, until Ctrl-C',
    (call) => runTail(call, formatOf(call)),
    { uses: ['format', ...filterFlags] },
  );
  for (const format of formats) {
    add(
      tail,
      `${format} [token]`,
      `Show ${format} messages as they come`,
      (call) => runTail(call, format),
      { uses: filterFlags, examples: [`messages tail ${format} --publisher $THING`] },
    );
  }
}

async function runTail(call: Call, format: MessageFormat): Promise<void> {
  const { tail } = await import('./tail.ts');
  await tail(call, format);
}

const saving = ['--save', 'into a file here, with a name that says what is in it'] as const;

function addExport(group: Command, add: Add): void {
  const exported = add(
    group,
    'export [token]',
    'Write messages as a file: json, csv, ndjson, parquet, arrow or arrows',
    (call) => runExport(call, formatOf(call)),
    {
      uses: ['format', ...exportFlags],
      examples: ['messages export --convert csv > messages.csv'],
    },
  );
  exported.option(...saving);
  for (const format of formats) {
    const one = add(
      exported,
      `${format} [token]`,
      `Write ${format} messages as a file`,
      (call) => runExport(call, format),
      {
        uses: exportFlags,
        examples: [
          `messages export ${format} --convert csv --shape wide --agg-type avg --agg-interval hour${format === 'json' ? ' --agg-field temperature' : ''} --from -24h --save`,
          `messages export ${format} --convert csv --from 2026-11-21T00:00:00Z > messages.csv`,
          `messages export ${format} --convert parquet --publisher $THING > messages.parquet`,
        ],
      },
    );
    one.option(...saving);
  }
}

async function runExport(call: Call, format: MessageFormat): Promise<void> {
  const { save, saveHere } = await import('./transfer.ts');
  const request = { query: call.settings.exported };
  const file = await call.as('reader').download(`exportMessages_${format}`, request);
  await (call.isOn('save') ? saveHere : save)(call, 'export', file);
}

function addBackup(group: Command, add: Add): void {
  add(
    group,
    'backup [token]',
    'Write all messages of both formats, as the admin',
    async (call) => {
      const { save } = await import('./transfer.ts');
      await save(call, 'backup', await call.as('reader').download('backupMessages', {}));
    },
    { examples: ['messages backup > messages.backup'] },
  );
  add(
    group,
    'restore <file> [token]',
    'Bring back a backup, as the admin (-: from standard input)',
    async (call) => {
      const { restore } = await import('./transfer.ts');
      await restore(call, call.text('file'));
    },
    { examples: ['messages restore messages.backup'] },
  );
}
