import type { Command } from 'commander';
import { type Credential, thingCredential } from '../../../schemas/client/credential.ts';
import type { MessageFormat } from '../../../schemas/client/live.ts';
import { filterFlags, pictureFlags } from '../../input/message-flags.ts';
import { pageFlags } from '../../input/flags.ts';
import { parseKeyType } from '../../input/usage.ts';
import type { Call } from '../../invocation/call.ts';
import type { Add } from '../../invocation/command.ts';
import { formatOf, formats } from './format.ts';
import { ThingNames } from './things.ts';

/** As a user by token, or as a thing: `[KEYTYPE KEY] [TOKEN]`. */
export function addRead(group: Command, add: Add): void {
  const usage = '[key_type|token] [key] [token]';
  const uses = [...pageFlags, 'cursor', ...filterFlags, 'dir', ...pictureFlags];
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
        `messages read ${format} --publisher $THING --changes --from -90d ${format === 'json' ? '--agg-field door' : '--name door'}`,
        `messages read ${format} internal $KEY`,
      ],
    });
  }
}

async function runRead(call: Call, format: MessageFormat): Promise<void> {
  const thing = thingOf(call);
  const client = thing === undefined ? call.as('reader', userToken(call)) : call.anonymous();
  const request = { query: call.settings.messagePage };
  const page = await client.call(`readMessages_${format}`, request, { as: thing });
  if (call.output.format !== 'table' || thing !== undefined) await call.output.show(page);
  else {
    const names = new ThingNames(call, userToken(call));
    await call.output.show({ ...page, messages: await names.nameAll(page.messages) });
  }
}

function thingOf(call: Call): Credential | undefined {
  const key = call.find('key');
  if (key === undefined) return undefined;
  const type = call.text('key_type|token');
  return type === 'by-admin' ? undefined : thingCredential(parseKeyType(type), key);
}

/** Older clients of the platform write `by-admin TOKEN` to read everything; a token alone does the same. */
function userToken(call: Call): string | undefined {
  const first = call.find('key_type|token');
  if (first !== 'by-admin') return first;
  return call.find('key');
}
