import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import type { Surroundings } from './call.ts';
import { adderFor, runWith } from './command.ts';
import { groups } from './groups.ts';
import { addGlobalFlags } from './settings.ts';

const afterwards = `
A token stands last; after "millrace login" it may be left out. "millrace <group> --help" tells a
group's commands. Exit codes: 0 done, 1 failed, 2 used wrongly.`;

/** The tree of commands. */
export type Program = {
  command: Command;
  /** Loads the commands of every group; parsing loads those of the one that is meant. */
  loadAll(): Promise<void>;
};

export function createProgram(surroundings: Surroundings): Program {
  const { stdout } = surroundings;
  const command = new Command('millrace')
    .description('The command-line client of Millrace.')
    .usage('<group> <command> [arguments] [flags]')
    .version(manifest.version, '--version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stdout.write(text),
      getOutHelpWidth: () => stdout.columns ?? 100,
      // Whoever catches an error tells it.
      outputError: () => {},
    })
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .addHelpText('after', afterwards);
  addGlobalFlags(command);

  const add = adderFor(surroundings);
  const loaders = new Map<Command, () => Promise<void>>();
  command.commandsGroup('Groups:');
  for (const [name, { about, load }] of Object.entries(groups)) {
    const group = command.command(name).description(about);
    loaders.set(group, async () => {
      loaders.delete(group);
      const { addCommands } = await load();
      addCommands(group, add, (itself, run) => runWith(surroundings, itself, run));
    });
  }
  command.hook('preSubcommand', async (_parent, group) => {
    await loaders.get(group)?.();
  });

  const program = {
    command,
    async loadAll() {
      for (const load of loaders.values()) await load();
    },
  };
  addOwnCommands(program, surroundings);
  return program;
}

/** What is about the client itself. */
function addOwnCommands(program: Program, surroundings: Surroundings): void {
  const { command } = program;
  command.commandsGroup('And:');
  const login = command
    .command('login [email]')
    .description('Keep a token, so that commands need none; the password from a pipe or asked for');
  runWith(surroundings, login, async (call) => {
    const commands = await import('./commands/login.ts');
    await commands.login(call);
  });
  const logout = command.command('logout').description('Forget it');
  runWith(surroundings, logout, async (call) => {
    const commands = await import('./commands/login.ts');
    await commands.logout(call);
  });
  command
    .command('completion <shell>')
    .description('Write the completion of bash, zsh, fish or powershell')
    .action(async (shell: string) => {
      const { completionFor } = await import('./completion/completion.ts');
      await program.loadAll();
      surroundings.stdout.write(completionFor(shell, command));
    });
  command
    .command('help [command...]')
    .description('Tell more of a command')
    .action(async (names: string[]) => {
      await command.parseAsync([...names, '--help'], { from: 'user' });
    });
}
