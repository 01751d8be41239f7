/*
 * Scripts of the platform's own client write flags the way its parser (pflag) takes them: `-l=5` as well
 * as `-l5` and `-l 5`, `--raw=true` as well as `--raw`. Commander knows `--limit=5` only, so the rest is
 * written out for it.
 */

const valueFlag = /^(-[a-zA-Z])=(.*)$/s;
const switchFlag = /^--(raw|insecure|bool-value)=(.*)$/;
const shortSwitches: Readonly<Record<string, string>> = { '-r': 'raw', '-i': 'insecure' };

const yes = ['true', '1', 't', 'T', 'TRUE', 'True'];
const no = ['false', '0', 'f', 'F', 'FALSE', 'False'];

/** Arguments as Commander takes them. What stands after `--` is left alone. */
export function normalize(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  return [...flags.flatMap(writeOut), ...(end === -1 ? [] : argv.slice(end))];
}

function writeOut(argument: string): string[] {
  const [, short, value = ''] = valueFlag.exec(argument) ?? [];
  if (short !== undefined) {
    const name = shortSwitches[short];
    return name === undefined ? [short, value] : toSwitch(argument, name, value);
  }
  const [, name, state = ''] = switchFlag.exec(argument) ?? [];
  return name === undefined ? [argument] : toSwitch(argument, name, state);
}

function toSwitch(argument: string, name: string, state: string): string[] {
  if (yes.includes(state)) return [`--${name}`];
  if (no.includes(state)) return [`--no-${name}`];
  return [argument];
}
