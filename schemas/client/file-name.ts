/**
 * The name of a file in `Content-Disposition` (RFC 6266): the one of any letters, else the one of ASCII. Never a path: what
 * a server says does not choose a folder here.
 */
export function fileNameIn(disposition: string): string | undefined {
  const [, extended] = /;\s*filename\*=UTF-8''([^;\s]+)/i.exec(disposition) ?? [];
  const [, plain] = /;\s*filename="([^"]*)"/i.exec(disposition) ?? [];
  const name = decoded(extended) ?? plain;
  return name === undefined || /^\.*$|[/\\\p{Cc}]/u.test(name) ? undefined : name;
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
