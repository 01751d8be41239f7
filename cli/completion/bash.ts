import type { Tree } from './tree.ts';

/** For bash 3.2 and later; it needs no other package. */
export function bash({ groups, flags }: Tree): string {
  const valued = flags.filter(({ takesValue }) => takesValue);
  const followers = groups
    .filter(({ commands }) => commands.length > 0)
    .map(
      ({ path, commands }) =>
        `    '${path}') echo '${commands.map(({ name }) => name).join(' ')}' ;;`,
    );
  const values = flags
    .filter((flag) => flag.values.length > 0)
    .map((flag) => `    ${flag.names.join('|')}) words='${flag.values.join(' ')}' ;;`);
  const files = groups.filter(({ takesFile }) => takesFile).map(({ path }) => `'${path}'`);
  return `# bash completion of millrace; in ~/.bashrc:  source <(millrace completion bash)
_millrace_followers() {
  case $1 in
${followers.join('\n')}
  esac
}

_millrace() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local path='' words='' word index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case $word in
    ${valued.flatMap(({ names }) => names).join('|')}) ((index++)); continue ;;
    -*|=) continue ;;
    esac
    case " $(_millrace_followers "$path") " in
    *" $word "*) path="\${path:+$path }$word" ;;
    esac
  done
  case $previous in
${values.join('\n')}
    ${valued.flatMap(({ names }) => names).join('|')}) return ;;
    *)
      case $current in
      -*) words='${flags.flatMap(({ names }) => names).join(' ')}' ;;
      *) words=$(_millrace_followers "$path") ;;
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case $path in
  ${files.join('|')}) [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current")) ;;
  esac
}

complete -o filenames -F _millrace millrace
`;
}
