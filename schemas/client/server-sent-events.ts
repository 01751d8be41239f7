/**
 * One event of a `text/event-stream`; how far the stream is, where there is nothing to tell; or the wait
 * that the server asks for before a reconnection.
 */
type ServerSentEvent =
  | { kind: 'event'; id: string; data: string }
  | { kind: 'position'; id: string }
  | { kind: 'retry'; waitMs: number };

/** An event longer than this is not one of ours. */
const eventCharsMax = 16 * 1024 * 1024;

/**
 * Reads a stream of server-sent events as the HTML standard has it: lines end in LF, CRLF or CR, an
 * event in an empty line, and what is left without one at the end is thrown away. An id holds for
 * all that follows until there is another.
 */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  let data: string[] = [];
  let chars = 0;
  let id = '';
  let told = '';
  for await (const line of linesOf(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { kind: 'event', id, data: data.join('\n') };
      else if (id !== told) yield { kind: 'position', id };
      told = id;
      data = [];
      chars = 0;
      continue;
    }
    const colon = line.indexOf(':');
    if (colon === 0) continue; // a comment: a sign of life
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') {
      chars += value.length;
      if (chars > eventCharsMax) throw new RangeError('an event of the stream is too long');
      data.push(value);
    } else if (field === 'id' && !value.includes('\0')) {
      id = value;
    } else if (field === 'retry' && /^\d+$/.test(value)) {
      yield { kind: 'retry', waitMs: Number(value) };
    }
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    if (rest.length > eventCharsMax) throw new RangeError('a line of the stream is too long');
    // A CR at the end may be the half of a CRLF.
    const held = rest.endsWith('\r') ? 1 : 0;
    const lines = rest.slice(0, rest.length - held).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + (held === 1 ? '\r' : '');
    yield* lines;
  }
}
