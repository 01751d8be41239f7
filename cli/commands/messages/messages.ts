import { having } from '../../client/shape.ts';
import type { Command } from 'commander';
import type { AddCommands, Add } from '../../invocation/command.ts';
import type { Call } from '../../invocation/call.ts';
import type { MessageFormat } from '../../client/resources/messages.ts';
import { type KeyType, thingCredential } from '../../client/resources/things.ts';
import type { Credential } from '../../client/transport.ts';
import { counted } from '../../invocation/removal.ts';
import { exportFlags, filterFlags, pictureFlags } from '../../input/message-flags.ts';
import { pageFlags } from '../../input/settings.ts';
import { readStdin } from '../../terminal/stdin.ts';
import { parseKeyType, UsageError } from '../../input/usage.ts';

const formats = ['senml', 'json'] as const;

const readFlags = [...filterFlags, 'dir'];

export const addCommands: AddCommands = (group, add) => {
  addSend(group, add);
  addRead(group, add);

  const search = group
    .command('search')
    .description('Search messages by JSON, one query or a list of them');
  for (const format of formats) {
    add(
      search,
      `${format} <JSON> [token]`,
      `Search ${format} messages`,
      async (call) => {
        const { messages } = call.as(call.settings.urls.reader);
        const asked = call.object('JSON', having<object>());
        await call.output.show(await messages.search(format, asked));
      },
      { json: '{"name":"temperature","limit":10}' },
    );
  }

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

  const exported = add(
    group,
    'export [token]',
    'Write messages as a file: json, csv, ndjson, parquet or arrow',
    (call) => runExport(call, formatOf(call)),
    {
      uses: ['format', ...exportFlags],
      examples: ['messages export --convert csv > messages.csv'],
    },
  );
  for (const format of formats) {
    add(
      exported,
      `${format} [token]`,
      `Write ${format} messages as a file`,
      (call) => runExport(call, format),
      {
        uses: exportFlags,
        examples: [
          `messages export ${format} --convert csv --from 2026-11-21T00:00:00Z > messages.csv`,
          `messages export ${format} --convert parquet --publisher $THING > messages.parquet`,
        ],
      },
    );
  }

  add(
    group,
    'backup [token]',
    'Write all messages of both formats, as the admin',
    async (call) => {
      const { save } = await import('./transfer.ts');
      await save(call, 'backup', await call.as(call.settings.urls.reader).messages.backup());
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

  const removed = group
    .command('delete')
    .description('Delete messages: all that the filters leave of a thing, or of all things');
  for (const format of formats) {
    add(
      removed,
      `${format} <publisher_id> [token]`,
      `Delete ${format} messages of a thing`,
      (call) => remove(call, format, call.id('publisher_id')),
      {
        removes: true,
        uses: filterFlags.filter((flag) => flag !== 'publisher'),
        examples: [
          `messages delete ${format} $THING --to 2026-01-01T00:00:00Z`,
          `messages delete ${format} $THING --yes`,
        ],
      },
    );
    add(
      removed,
      `all-${format} [token]`,
      `Delete ${format} messages of all things that one administers`,
      (call) => remove(call, format, undefined),
      {
        removes: true,
        uses: filterFlags,
        examples: [`messages delete all-${format} --subtopic test --yes`],
      },
    );
  }
};

/** Counts by the same filters, asks, and deletes. What somebody else administers is counted, and stays. */
async function remove(
  call: Call,
  format: MessageFormat,
  publisher: string | undefined,
): Promise<void> {
  const { urls, filters: asked } = call.settings;
  const { messages } = call.as(urls.reader);
  const which = publisher === undefined ? asked : { ...asked, publisher };
  const { total } = await messages.read(format, { ...which, limit: 1 });
  const what = counted(total, `${format} message`);
  await call.confirm('remove', publisher === undefined ? `up to ${what} of all things` : what);
  if (publisher === undefined) await messages.deleteAll(format, asked);
  else await messages.delete(format, publisher, asked);
  call.tell(publisher === undefined ? `removed up to ${what}` : `removed ${what}`);
  await call.output.ok();
}

/** `[SUBTOPIC] JSON KEYTYPE KEY`; without a key type, the key is one made with the thing. */
function addSend(group: Command, add: Add): void {
  add(
    group,
    'send <message_and_key...>',
    'Send a message as a thing (JSON -: from standard input)',
    async (call) => {
      const { subtopic, body, thing } = await readSend(call);
      const { contentType } = call.settings;
      await call.anonymous().messages.send(thing, body, { contentType, subtopic });
      await call.output.ok();
    },
    {
      uses: ['subtopic', 'contentType'],
      examples: [
        `messages send '[{"n":"temperature","u":"Cel","v":21.5}]' internal $KEY`,
        `messages send hall.3 '[{"n":"temperature","v":21.5}]' internal $KEY`,
        `messages send '{"temperature":21.5}' $KEY --content-type application/json`,
        'messages send - internal $KEY < pack.json',
      ],
    },
  ).usage('[subtopic] <JSON> <internal|external> <key>');
}

async function readSend(call: Call) {
  const given = [...call.texts('message_and_key')];
  const key = given.pop() ?? '';
  const isTyped = given.at(-1) === 'internal' || given.at(-1) === 'external';
  const type: KeyType = isTyped ? parseKeyType(given.pop() ?? '') : 'internal';
  const text = given.pop();
  const subtopic = given.pop() ?? call.settings.subtopic ?? '';
  if (text === undefined || given.length > 0) {
    throw new UsageError('give [subtopic] <JSON> <internal|external> <key>');
  }
  const body = text === '-' ? await readStdin(call.context.stdin) : text;
  if (body.length === 0) throw new UsageError('the message is empty');
  if (text !== '-' && /json/.test(call.settings.contentType)) mustBeJson(text);
  return { subtopic, body, thing: thingCredential(type, key) };
}

function mustBeJson(text: string): void {
  try {
    JSON.parse(text);
  } catch {
    throw new UsageError(
      'the message is not JSON. In a shell it stands in single quotes: \'[{"n": "t", "v": 21.5}]\'',
    );
  }
}

/** As a user by token, or as a thing: `[KEYTYPE KEY] [TOKEN]`. */
function addRead(group: Command, add: Add): void {
  const usage = '[key_type|token] [key] [token]';
  const uses = [...pageFlags, 'cursor', ...readFlags, ...pictureFlags];
  const read = add(
    group,
    `read ${usage}`,
    'Read messages, newest first, or an aggregate of each interval',
    (call) => runRead(call, formatOf(call)),
    { uses: ['format', ...uses], examples: ['messages read --limit 10'] },
  );
  for (const format of formats) {
    add(read, `${format} ${usage}`, `Read ${format} messages`, (call) => runRead(call, format), {
      uses,
      examples: [
        `messages read ${format} --publisher $THING --limit 10`,
        `messages read ${format} --from 2026-11-21T00:00:00Z --agg-type avg --agg-interval hour${format === 'json' ? ' --agg-field temperature' : ''}`,
        `messages read ${format} internal $KEY`,
      ],
    });
  }
}

async function runRead(call: Call, format: MessageFormat): Promise<void> {
  const { urls, messagePage } = call.settings;
  const thing = thingOf(call);
  const { messages } =
    thing === undefined ? call.as(urls.reader, userToken(call)) : call.anonymous();
  const page = await messages.read(format, messagePage, thing);
  await call.output.show(page);
}

function thingOf(call: Call): Credential | undefined {
  const key = call.find('key');
  if (key === undefined) return undefined;
  const type = call.text('key_type|token');
  return type === 'by-admin' ? undefined : thingCredential(parseKeyType(type), key);
}

/** `by-admin TOKEN` is how the platform's older clients ask for everything; a token does so by itself. */
function userToken(call: Call): string | undefined {
  const first = call.find('key_type|token');
  if (first !== 'by-admin') return first;
  return call.find('key');
}

function formatOf(call: Call): MessageFormat {
  const { format = 'senml' } = call.settings;
  if (format === 'senml' || format === 'json') return format;
  throw new UsageError('--format is senml or json');
}

async function runTail(call: Call, format: MessageFormat): Promise<void> {
  const { tail } = await import('./tail.ts');
  await tail(call, format);
}

async function runExport(call: Call, format: MessageFormat): Promise<void> {
  const { save } = await import('./transfer.ts');
  const { urls, exported } = call.settings;
  const { messages } = call.as(urls.reader);
  await save(call, 'export', await messages.export(format, exported));
}
