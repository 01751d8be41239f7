import { having } from '../client/shape.ts';
import type { Command } from 'commander';
import type { AddCommands, Add } from '../command.ts';
import type { Call } from '../call.ts';
import type { MessageFormat } from '../client/messages.ts';
import { type KeyType, thingCredential } from '../client/things.ts';
import type { Credential } from '../client/transport.ts';
import { readStdin } from '../stdin.ts';
import { parseKeyType, UsageError } from '../usage.ts';

const formats = ['senml', 'json'] as const;

export const addCommands: AddCommands = (group, add) => {
  addSend(group, add);
  addRead(group, add);

  const search = group
    .command('search')
    .description('Search messages: \'{"name": "…", "limit": 10}\'');
  for (const format of formats) {
    add(search, `${format} <JSON> [token]`, `Search ${format} messages`, async (call) => {
      const { messages } = call.as(call.settings.urls.reader);
      await call.output.show(await messages.search(format, call.object('JSON', having<object>())));
    });
  }

  const tail = add(
    group,
    'tail [token]',
    'Show messages as they come, until Ctrl-C',
    async (call) => {
      await runTail(call, formatOf(call));
    },
  );
  for (const format of formats) {
    add(tail, `${format} [token]`, `Show ${format} messages as they come`, (call) =>
      runTail(call, format),
    );
  }

  const exported = add(group, 'export [token]', 'Write messages as a file', (call) =>
    runExport(call, formatOf(call)),
  );
  for (const format of formats) {
    add(exported, `${format} [token]`, `Write ${format} messages as a file (--convert)`, (call) =>
      runExport(call, format),
    );
  }

  add(group, 'backup [token]', 'Write all messages of both formats, as the admin', async (call) => {
    const { save } = await import('../transfer.ts');
    await save(call, 'backup', await call.as(call.settings.urls.reader).messages.backup());
  });
  add(
    group,
    'restore <file> [token]',
    'Bring back a backup, as the admin (-: from standard input)',
    async (call) => {
      const { open } = await import('../transfer.ts');
      const { messages } = call.as(call.settings.urls.reader);
      const file = await open(call, 'restore', call.text('file'));
      const leftOut = await messages.restore(file.stream, file.bytes).finally(file.done);
      if (leftOut > 0) {
        const what = leftOut === 1 ? 'message was' : 'messages were';
        call.surroundings.stderr.write(`${leftOut} ${what} left out: their things are gone\n`);
      }
      await call.output.ok();
    },
  );

  const removed = group.command('delete').description('Delete messages (--from, --to)');
  for (const format of formats) {
    add(
      removed,
      `${format} <publisher_id> [token]`,
      `Delete ${format} messages of a thing`,
      async (call) => {
        const { messages } = call.as(call.settings.urls.reader);
        await messages.delete(format, call.id('publisher_id'), call.settings.range);
        await call.output.ok();
      },
    );
    add(
      removed,
      `all-${format} [token]`,
      `Delete all ${format} messages one may delete`,
      async (call) => {
        const { messages } = call.as(call.settings.urls.reader);
        await messages.deleteAll(format, call.settings.range);
        await call.output.ok();
      },
    );
  }
};

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
  const body = text === '-' ? await readStdin(call.surroundings.stdin) : text;
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
  const read = add(group, `read ${usage}`, 'Read messages (--format, and the filters)', (call) =>
    runRead(call, formatOf(call)),
  );
  for (const format of formats) {
    add(read, `${format} ${usage}`, `Read ${format} messages`, (call) => runRead(call, format));
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
  const { tail } = await import('../tail.ts');
  await tail(call, format);
}

async function runExport(call: Call, format: MessageFormat): Promise<void> {
  const { save } = await import('../transfer.ts');
  const { urls, filters, convert } = call.settings;
  const { messages } = call.as(urls.reader);
  await save(call, 'export', await messages.export(format, { ...filters, convert }));
}
