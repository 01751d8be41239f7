import type { Tree } from './tree.ts';

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

export function powershell({ groups, flags }: Tree): string {
  const followers = groups
    .filter(({ commands }) => commands.length > 0)
    .map(({ path, commands }) => {
      const all = commands.map(
        ({ name, about }) => `    ${quoted(name)} = ${quoted(about || name)}`,
      );
      return `  ${quoted(path)} = [ordered]@{\n${all.join('\n')}\n  }`;
    });
  const values = flags
    .filter((flag) => flag.values.length > 0)
    .flatMap((flag) =>
      flag.names.map((name) => `  ${quoted(name)} = ${flag.values.map(quoted).join(', ')}`),
    );
  const valued = flags.filter(({ takesValue }) => takesValue).flatMap(({ names }) => names);
  // Names differ by their case (-o, -O), which the keys of a hashtable do not.
  const all = flags.flatMap(({ names, about }) =>
    names.map((name) => `  @(${quoted(name)}, ${quoted(about || name)})`),
  );
  return `# PowerShell completion of millrace; in $PROFILE:
#   millrace completion powershell | Out-String | Invoke-Expression
$MillraceFollowers = @{
${followers.join('\n')}
}
$MillraceValues = @{
${values.join('\n')}
}
$MillraceValued = @(${valued.map(quoted).join(', ')})
$MillraceFlags = @(
${all.join(',\n')}
)

Register-ArgumentCompleter -Native -CommandName millrace -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Where-Object {
    $_.Extent.EndOffset -lt $cursorPosition
  } | ForEach-Object { $_.ToString() })
  $path = ''
  $previous = ''
  for ($index = 1; $index -lt $words.Count; $index++) {
    $word = $words[$index]
    $previous = $word
    if ($MillraceValued -ccontains $word) {
      if ($index + 1 -lt $words.Count) { $index++; $previous = '' }
      continue
    }
    if ($word.StartsWith('-')) { continue }
    $known = $MillraceFollowers[$path]
    if ($known -and $known.Contains($word)) { $path = "$path $word".Trim() }
  }
  $result = { param($name, $about)
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $about)
  }
  if ($MillraceValues.ContainsKey($previous)) {
    $MillraceValues[$previous] | Where-Object { $_ -like "$wordToComplete*" } |
      ForEach-Object { & $result $_ $_ }
  } elseif ($MillraceValued -ccontains $previous) {
    return
  } elseif ($wordToComplete.StartsWith('-')) {
    $MillraceFlags | Where-Object { $_[0] -clike "$wordToComplete*" } |
      ForEach-Object { & $result $_[0] $_[1] }
  } elseif ($MillraceFollowers.ContainsKey($path)) {
    $MillraceFollowers[$path].GetEnumerator() | Where-Object { $_.Key -like "$wordToComplete*" } |
      ForEach-Object { & $result $_.Key $_.Value }
  }
}
`;
}
