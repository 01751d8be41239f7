import type { Command } from 'commander';
import { type KeyType, thingCredential } from '../../../schemas/client/credential.ts';
import { parseJson, parseKeyType, UsageError } from '../../input/usage.ts';
import type { Call } from '../../invocation/call.ts';
import type { Add } from '../../invocation/command.ts';
import { readStdin } from '../../terminal/stdin.ts';

const usage = '[subtopic] <JSON> <internal|external> <key>';

/** `[SUBTOPIC] JSON KEYTYPE KEY`; without a key type it is an internal key. */
export function addSend(group: Command, add: Add): void {
  add(
    group,
    'send <message_and_key...>',
    'Send a message as a thing (JSON -: from standard input)',
    async (call) => {
      const { subtopic, text, thing } = readSend(call);
      if (call.isOn('stream')) {
        const { sendLines } = await import('./stream.ts');
        return sendLines(call, text, thing, subtopic);
      }
      const body = await readBody(call, text);
      const { contentType } = call.settings;
      await call.anonymous().send(thing, body, { contentType, subtopic });
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
  )
    .usage(usage)
    .option(
      '--stream',
      'send each line of a file (-: standard input) as a message, over one connection to the edge',
    );
}

function readSend(call: Call) {
  const given = [...call.texts('message_and_key')];
  const key = given.pop() ?? '';
  const isTyped = given.at(-1) === 'internal' || given.at(-1) === 'external';
  const type: KeyType = isTyped ? parseKeyType(given.pop() ?? '') : 'internal';
  const text = given.pop();
  const subtopic = given.pop() ?? call.settings.subtopic ?? '';
  if (text === undefined || given.length > 0) {
    throw new UsageError(`give ${usage}`);
  }
  return { subtopic, text, thing: thingCredential(type, key) };
}

async function readBody(call: Call, text: string): Promise<string | Buffer> {
  const body = text === '-' ? await readStdin(call.context.stdin) : text;
  if (body.length === 0) throw new UsageError('the message is empty');
  if (text !== '-' && /json/.test(call.settings.contentType)) {
    parseJson('the message', text, '[{"n": "t", "v": 21.5}]');
  }
  return body;
}
