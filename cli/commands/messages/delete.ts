import type { Command } from 'commander';
import type { MessageFormat } from '../../../schemas/client/live.ts';
import { filterFlags } from '../../input/message-flags.ts';
import type { Call } from '../../invocation/call.ts';
import type { Add } from '../../invocation/command.ts';
import { counted } from '../../terminal/progress.ts';
import { formats } from './format.ts';

export function addDelete(group: Command, add: Add): void {
  const removed = group
    .command('delete')
    .description('Delete the messages of a thing, or of all things, that match the filters');
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
      `Delete ${format} messages of all things that you administer`,
      (call) => remove(call, format, undefined),
      {
        removes: true,
        uses: filterFlags,
        examples: [`messages delete all-${format} --subtopic test --yes`],
      },
    );
  }
}

/** Counts the matching messages, asks, and deletes. Messages that the user may only read are counted, but not deleted. */
async function remove(
  call: Call,
  format: MessageFormat,
  publisher: string | undefined,
): Promise<void> {
  const { filters } = call.settings;
  const which = publisher === undefined ? filters : { ...filters, publisher };
  const query = { ...which, limit: 1 };
  const { total } = await call.ask(`readMessages_${format}`, { query });
  const what = counted(total, `${format} message`);
  await call.confirm('remove', publisher === undefined ? `up to ${what} of all things` : what);
  if (publisher === undefined) await call.ask(`deleteMessages_${format}`, { query: filters });
  else {
    const request = { path: { publisher }, query: { ...filters, publisher: undefined } };
    await call.ask(`deleteMessagesOfThing_${format}`, request);
  }
  call.tell(publisher === undefined ? `removed up to ${what}` : `removed ${what}`);
  await call.output.ok();
}
