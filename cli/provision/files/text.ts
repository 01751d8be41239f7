import { createReadStream } from 'node:fs';

/** The whole file is unusable; `line` is the place of the error. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

/** The text of a file, piece by piece, without its byte order mark. @throws FileError if it is not UTF-8. */
export async function* readText(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lines = 1;
  const decode = (bytes?: Buffer) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new FileError(
        lines,
        'the file is not UTF-8 from about here on: save it as "CSV UTF-8"',
      );
    }
  };
  for await (const bytes of createReadStream(path)) {
    const text = decode(bytes);
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
    yield text;
  }
  yield decode();
}
