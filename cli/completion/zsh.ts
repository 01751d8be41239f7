import type { Tree } from './tree.ts';

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const described = (name: string, about: string) =>
  quoted(`${name.replaceAll(':', '\\:')}:${about}`);

export function zsh({ groups, flags }: Tree): string {
  const valued = flags.filter(({ takesValue }) => takesValue).flatMap(({ names }) => names);
  const followers = groups
    .filter(({ commands }) => commands.length > 0)
    .map(({ path, commands }) => {
      const all = commands.map(({ name, about }) => described(name, about));
      return `    ${quoted(path)}) followers=(${all.join(' ')}) ;;`;
    });
  const values = flags
    .filter((flag) => flag.values.length > 0)
    .map((flag) => `    ${flag.names.join('|')}) compadd -- ${flag.values.join(' ')}; return ;;`);
  const all = flags.flatMap(({ names, about }) => names.map((name) => described(name, about)));
  const files = groups.filter(({ takesFile }) => takesFile).map(({ path }) => quoted(path));
  return `#compdef millrace
# zsh completion of millrace; in ~/.zshrc, after compinit:  source <(millrace completion zsh)
_millrace_followers() {
  case $1 in
${followers.join('\n')}
    *) followers=() ;;
  esac
}

_millrace() {
  local at='' word index
  local -a followers flags
  _millrace_followers ''
  for ((index = 2; index < CURRENT; index++)); do
    word=$words[index]
    case $word in
      ${valued.join('|')}) ((index++)); continue ;;
      -*) continue ;;
    esac
    if (( \${followers[(I)$word:*]} )); then
      at="\${at:+$at }$word"
      _millrace_followers "$at"
    fi
  done
  case $words[CURRENT-1] in
${values.join('\n')}
    ${valued.join('|')}) return ;;
  esac
  if [[ $words[CURRENT] == -* ]]; then
    flags=(${all.join(' ')})
    _describe -o flag flags
    return
  fi
  (( $#followers )) && _describe command followers
  case $at in
    ${files.join('|')}) _files ;;
  esac
}

compdef _millrace millrace
`;
}
