import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../invocation/call.ts';
import { ConnectionError } from '../../../schemas/client/errors.ts';
import type { Answers } from '../../../schemas/client/client.ts';
import { harmless } from '../../terminal/output/cell.ts';
import { stringify } from '../../terminal/output/stringify.ts';

type Command = Answers['viewCommand'];

/** So often the newest commands are read, and so many of them. */
const readMs = 1_000;
const newest = 40;

/** Of a thing, or of those of a group. */
type ListenPlace = { of: 'thing' | 'group'; id: string };

/** Shows each command of a place from now on, and each of its states, until it is told to stop. */
export async function listenToCommands(
  call: Call,
  { of, id }: ListenPlace,
  stopping: AbortSignal,
): Promise<void> {
  const client = call.as('things');
  const request = { path: { id }, query: { limit: newest } };
  const read = async () => {
    const name = of === 'thing' ? 'listThingCommands' : 'listGroupCommands';
    return (await client.call(name, request)).commands;
  };
  // Those that are there are not told: undefined until they are known.
  let told: Map<string, Command['state']> | undefined;
  for (; !stopping.aborted; await pause(stopping)) {
    const commands = await read().catch((error: unknown) => {
      if (error instanceof ConnectionError) return undefined;
      throw error;
    });
    if (commands === undefined) continue;
    const isFirst = told === undefined;
    told ??= new Map();
    for (const command of commands.toReversed()) {
      const isTold = isFirst || told.get(command.id) === command.state;
      told.set(command.id, command.state);
      if (!isTold) await call.output.write(lineOf(call, command));
    }
    for (const known of told.keys()) {
      if (!commands.some((command) => command.id === known)) told.delete(known);
    }
  }
}

const pause = (stopping: AbortSignal) =>
  sleep(readMs, undefined, { signal: stopping }).catch(() => undefined);

function lineOf(call: Call, command: Command): string {
  const { output } = call.settings;
  if (output === 'json' || output === 'ndjson') return `${stringify({ command })}\n`;
  const { thing_id: thing, subtopic, command: what, state } = command;
  const all = [new Date().toISOString(), thing, subtopic, `command ${what}`, state];
  return `${all
    .filter((text) => text !== undefined)
    .map(harmless)
    .join('  ')}\n`;
}
