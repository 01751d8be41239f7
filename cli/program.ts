import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import type { CliContext } from './invocation/context.ts';
import { adderFor, runWith } from './invocation/command.ts';
import { groups } from './commands/commands.ts';
import { flagsText, teach } from './invocation/help.ts';
import { filterFlags } from './input/message-flags.ts';
import { addGlobalFlags } from './input/settings.ts';

const afterwards = `
Begin with:
  millrace login admin@example.com
  millrace things list
  millrace messages read --limit 5

"millrace <group> --help" lists the commands of a group, "millrace <group> <command> --help" shows how
to type one, "millrace help flags" the flags of all. Flags can replace the JSON: --name Mill instead of
'{"name":"Mill"}'.
The token is the last argument. Leave it out after "millrace login", or set MILLRACE_TOKEN.
A command that removes, revokes or declines says what it is about to do, and asks; --yes answers for scripts.
Exit codes: 0 success, 1 failure or refusal, 2 wrong usage.`;

/** The tree of commands. */
type Program = {
  command: Command;
  /** Loads the commands of every group; parsing loads only those of the group in the command. */
  loadAll(): Promise<void>;
};

export function createProgram(context: CliContext): Program {
  const { stdout } = context;
  const command = new Command('millrace')
    .description('The command-line client of Millrace.')
    .usage('<group> <command> [arguments] [flags]')
    .version(manifest.version, '--version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stdout.write(text),
      getOutHelpWidth: () => stdout.columns || 100,
      // Errors are printed where they are caught.
      outputError: () => {},
    })
    .helpCommand(false)
    .addHelpText('after', afterwards);
  teach(command);
  addGlobalFlags(command);

  const add = adderFor(context);
  const loaders = new Map<Command, () => Promise<void>>();
  command.commandsGroup('Groups:');
  for (const [name, { about, load }] of Object.entries(groups)) {
    const group = command.command(name).description(about);
    loaders.set(group, async () => {
      loaders.delete(group);
      const addCommands = await load();
      addCommands(group, add, (itself, run, extras) => runWith(context, itself, run, extras));
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
  command.commandsGroup('Session and tools:');
  addLogin(command, context);
  addTools(program, context);
  return program;
}

/** Commands for logging in and out. */
function addLogin(command: Command, context: CliContext): void {
  const add = adderFor(context);
  add(
    command,
    'login [email]',
    'Ask for the password, and keep the token for later commands',
    async (call) => {
      const commands = await import('./commands/login.ts');
      await commands.login(call);
    },
    {
      examples: ['login ann@example.com', 'login ann@example.com --password-stdin < password.txt'],
    },
  ).option('--password-stdin', 'read the password from standard input');
  add(command, 'logout', 'Forget the token', async (call) => {
    const commands = await import('./commands/login.ts');
    await commands.logout(call);
  });
  add(command, 'whoami [token]', 'Show the user and the server of your commands', async (call) => {
    const { whoami } = await import('./commands/login.ts');
    await whoami(call);
  });
}

/** Commands about the client itself. */
function addTools(program: Program, context: CliContext): void {
  const { command } = program;
  const { stdout } = context;
  const add = adderFor(context);
  add(
    command,
    'listen [token]',
    'Send messages to a URL of your own machine as they are stored, as a webhook would',
    async (call) => {
      const { listen } = await import('./commands/messages/listen.ts');
      await listen(call);
    },
    {
      uses: ['format', ...filterFlags],
      examples: [
        'listen --forward-to http://localhost:3000/hook --thing $THING',
        'listen --forward-to http://localhost:3000/hook --group $GROUP --format json',
      ],
    },
  )
    .requiredOption('--forward-to <url>', 'where each message is sent by POST')
    .option('--thing <id>', 'messages of this thing alone')
    .option('--group <id>', 'messages of the things of this group alone');
  add(
    command,
    'completion <shell>',
    'Write the completion of bash, zsh, fish or powershell',
    async (call) => {
      const { completionFor } = await import('./completion/completion.ts');
      await program.loadAll();
      await call.output.write(completionFor(call.text('shell'), command));
    },
    { examples: ['completion bash > ~/.millrace-completion'] },
  );
  add(
    command,
    'help [command...]',
    'Show the help of a command, or all flags: help flags',
    async (call) => {
      const words = call.texts('command');
      if (words.length === 1 && words[0] === 'flags') {
        await call.output.write(flagsText(command, stdout.columns || 100));
        return;
      }
      await command.parseAsync([...words, '--help'], { from: 'user' });
    },
    { examples: ['help things create', 'help flags'] },
  );
}
