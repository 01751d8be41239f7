import type { Tree } from './tree.ts';

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

export function fish({ groups, flags }: Tree): string {
  const valued = flags.filter(({ takesValue }) => takesValue).flatMap(({ names }) => names);
  const paths = groups
    .filter(({ commands }) => commands.length > 0)
    .map(({ path, commands }) => {
      const names = commands.map(({ name }) => name).join(' ');
      return `        case ${quoted(path)}\n            string split ' ' ${quoted(names)}`;
    });
  const followers = groups.flatMap(({ path, commands, takesFile }) => [
    ...commands.map(
      ({ name, about }) =>
        `complete -c millrace -n "__millrace_at ${quoted(path)}" -a ${quoted(name)} -d ${quoted(about)}`,
    ),
    ...(takesFile ? [`complete -c millrace -n "__millrace_at ${quoted(path)}" -F`] : []),
  ]);
  const options = flags.map(({ names, about, takesValue, values }) => {
    const written = names.map((name) =>
      name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
    );
    const more = takesValue
      ? ` -x${values.length === 0 ? '' : ` -a ${quoted(values.join(' '))}`}`
      : '';
    return `complete -c millrace ${written.join(' ')} -d ${quoted(about)}${more}`;
  });
  return `# fish completion of millrace; once:
#   millrace completion fish > ~/.config/fish/completions/millrace.fish
function __millrace_followers
    switch "$argv[1]"
${paths.join('\n')}
    end
end

# Whether the commands typed so far are these.
function __millrace_at
    set -l path
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if contains -- $word ${valued.join(' ')}
            set skip 1
        else if contains -- $word (__millrace_followers "$path")
            set path (string join ' ' $path $word)
        end
    end
    test "$path" = "$argv[1]"
end

complete -c millrace -f
${followers.join('\n')}
${options.join('\n')}
`;
}
