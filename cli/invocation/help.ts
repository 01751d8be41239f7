import { type Command, Help, type Option } from 'commander';
import { ancestors, type Extras, fieldOptions, knownOf } from './known.ts';
import type { Argument } from '../input/arguments.ts';
import { isGlobal } from '../input/flags.ts';

/** Values of arguments in examples. */
const samples: Readonly<Record<string, string>> = {
  org_id: '$ORG',
  group_id: '$GROUP',
  profile_id: '$PROFILE',
  thing_id: '$THING',
  publisher_id: '$THING',
  user_id: '$USER_ID',
  member_id: '$USER_ID',
  key_id: '$KEY_ID',
  key: '$KEY',
  'key_type|key': '$KEY',
  webhook_id: '$WEBHOOK',
  message_id: '$MESSAGE',
  command_id: '$COMMAND',
  alarm_id: '$ALARM',
  silence_id: '$SILENCE',
  rule_id: '$RULE',
  dashboard_id: '$DASHBOARD',
  annotation_id: '$ANNOTATION',
  share_id: '$SHARE',
  invite_id: '$INVITE',
  tree_group_id: '$NODE',
  serial: '$SERIAL',
  email: 'ann@example.com',
};

/** How many examples the help of a group has. */
const examplesOfGroupMax = 4;

/** Examples of a command, each without `millrace `. */
export function examplesOf(command: Command): readonly string[] {
  const known = knownOf(command);
  if (known !== undefined) {
    return known.extras.examples ?? [made(command, known.arguments, known.extras)];
  }
  return command.commands.flatMap((one) => examplesOf(one)[0] ?? []).slice(0, examplesOfGroupMax);
}

function made(command: Command, all: readonly Argument[], { json = '' }: Extras): string {
  const needed = all.filter(({ isNeeded }) => isNeeded).map(({ name }) => name);
  const words = needed.map((name) =>
    name === 'JSON' ? `'${json}'` : (samples[name] ?? `<${name}>`),
  );
  return [...pathOf(command), ...words].join(' ');
}

/** The words of a command after `millrace`. */
function pathOf(command: Command): string[] {
  return [command, ...ancestors(command)]
    .map((one) => one.name())
    .toReversed()
    .slice(1);
}

function exampleText(command: Command): string {
  if (ancestors(command).length === 0) return '';
  const examples = examplesOf(command).map((example) => `  millrace ${example}`);
  const heading = examples.length === 1 ? 'Example:' : 'Examples:';
  return ['', heading, ...examples, '', 'Flags of all commands: millrace help flags'].join('\n');
}

/** The flags that the first page of the help shows. */
const usualFlags = ['url', 'limit', 'output', 'print', 'raw', 'version', 'help'];

/** All flags of all commands, by their headings. */
export function flagsText(root: Command, width: number): string {
  const help = new Help();
  help.prepareContext({ helpWidth: width });
  const options = help.visibleOptions(root);
  const termWidth = Math.max(...options.map((option) => help.optionTerm(option).length));
  const groups = help.groupItems(
    [...root.options],
    options,
    ({ helpGroupHeading }) => helpGroupHeading ?? 'Options:',
  );
  return [...groups]
    .flatMap(([heading, list]) => [
      heading,
      ...list.map((option) =>
        help.formatItem(help.optionTerm(option), termWidth, help.optionDescription(option), help),
      ),
      '',
    ])
    .join('\n');
}

/** Sets up the help: examples of each command, and the flags of all commands that it uses. */
export function teach(root: Command): void {
  const usual = new Help();
  root
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: usedFlags,
      visibleOptions: (command) => {
        const own = usual.visibleOptions(command);
        if (ancestors(command).length > 0) return [...globalFields(command), ...own];
        return own.filter((option) => usualFlags.includes(option.attributeName()));
      },
      subcommandTerm: termOf,
      styleTitle: (title) => (title === 'Global Options:' ? 'Flags that matter here:' : title),
    })
    .addHelpText('afterAll', ({ command }) => exampleText(command));
}

/** A command in the list of its group. */
function termOf(command: Command): string {
  const words = (knownOf(command)?.arguments ?? []).map(({ name, isNeeded }) =>
    isNeeded ? `<${name}>` : `[${name}]`,
  );
  return [command.name(), ...words].join(' ');
}

/** Flags of all commands that are members of the JSON here. */
function globalFields(command: Command): Option[] {
  const itself = knownOf(command);
  if (itself === undefined) return [];
  return fieldOptions(itself).filter((option) => isGlobal(option.flags));
}

/** The flags of all commands that matter to this one. */
function usedFlags(command: Command): Option[] {
  const root = ancestors(command).at(-1);
  const { uses = [] } = knownOf(command)?.extras ?? {};
  return (root?.options ?? []).filter(
    (option) => !option.hidden && uses.includes(option.attributeName()),
  );
}
