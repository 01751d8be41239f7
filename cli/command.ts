import type { Command } from 'commander';
import type { Call, Surroundings } from './call.ts';

export type Run = (call: Call) => Promise<void>;

/** Adds the commands of a group to it; `act` makes a group a command by itself. */
export type AddCommands = (
  group: Command,
  add: Add,
  act: (group: Command, run: Run) => void,
) => void;

/**
 * Adds a command, written `name <needed> [may be left out]`, to a group. `[token]` stands last: the
 * user's token, which a login can stand in for.
 */
export type Add = (group: Command, usage: string, about: string, run: Run) => Command;

export function adderFor(surroundings: Surroundings): Add {
  return (group, usage, about, run) =>
    runWith(surroundings, group.command(usage).description(about), run);
}

/** Makes a command do something. */
export function runWith(surroundings: Surroundings, command: Command, run: Run): Command {
  return command.action(async (...given: unknown[]) => {
    // What talks to a server is loaded where something is to be said to it: help must be quick.
    const { Call } = await import('./call.ts');
    const call = new Call(command, given, surroundings);
    try {
      await run(call);
    } finally {
      await call.close();
    }
  });
}
