import type { Option } from 'commander';

/*
 * Scripts of the platform's own client write flags the way its parser (pflag) takes them: `-l=5` as well
 * as `-l5` and `-l 5`, `--raw=true` as well as `--raw`. Commander knows `--limit=5` only, so the rest is
 * written out for it.
 */

const shortFlag = /^(-[a-zA-Z])=(.*)$/s;
const longFlag = /^(--[\w-]+)=(.*)$/s;

const yes = ['true', '1', 't', 'T', 'TRUE', 'True'];
const no = ['false', '0', 'f', 'F', 'FALSE', 'False'];

/** Arguments as Commander takes them. What stands after `--` is left alone. */
export function normalize(argv: readonly string[], options: readonly Option[]): string[] {
  const switches = switchesOf(options);
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  return [
    ...flags.flatMap((argument) => writeOut(argument, switches)),
    ...(end === -1 ? [] : argv.slice(end)),
  ];
}

/** The long name of each switch that can be cancelled (`--no-raw`), by its long and short name. */
function switchesOf(options: readonly Option[]): Map<string, string> {
  const switches = new Map<string, string>();
  for (const { long, short, negate } of options) {
    const isSwitch =
      !negate && options.some((other) => other.long === long?.replace('--', '--no-'));
    for (const name of [long, short]) if (name && long && isSwitch) switches.set(name, long);
  }
  return switches;
}

function writeOut(argument: string, switches: ReadonlyMap<string, string>): string[] {
  const [, flag = '', value = ''] = shortFlag.exec(argument) ?? longFlag.exec(argument) ?? [];
  const name = switches.get(flag);
  if (name === undefined) return shortFlag.test(argument) ? [flag, value] : [argument];
  if (yes.includes(value)) return [name];
  if (no.includes(value)) return [name.replace('--', '--no-')];
  return [argument];
}
