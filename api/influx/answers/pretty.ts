/** A token of JSON text that was written without spaces: a text with the colon after it, a sign, or anything else. */
const tokens = /"(?:[^"\\]|\\.)*":?|[[\]{},]|[^"[\]{},]+/g;

/** JSON text indented by four spaces, as InfluxDB writes it where `pretty` is asked for. Pieces end between tokens. */
export async function* prettyJson(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let depth = 0;
  let before = '';
  for await (const piece of pieces) {
    const written: string[] = [];
    for (const token of piece.match(tokens) ?? []) {
      const isEnd = token === ']' || token === '}';
      if (isEnd) depth -= 1;
      const isEmpty = isEnd && (before === '[' || before === '{');
      const isBroken = !isEmpty && (isEnd || before === '[' || before === '{' || before === ',');
      written.push(isBroken ? `\n${'    '.repeat(depth)}${token}` : token);
      if (token.endsWith('":')) written.push(' ');
      if (token === '[' || token === '{') depth += 1;
      before = token;
    }
    yield written.join('');
  }
}
