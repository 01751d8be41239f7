import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Terminal } from './output/output.ts';
import type { Input } from './stdin.ts';
import { UsageError } from '../input/usage.ts';

/** Asks on a terminal; from a pipe, takes the next line. */
export function askFor(question: string, stdin: Input, stderr: Terminal): Promise<string> {
  return ask(question, stdin, stderr, stdin.isTTY ? stderr : undefined);
}

/** The same, without showing what is typed. */
export function askSecretly(question: string, stdin: Input, stderr: Terminal): Promise<string> {
  return ask(question, stdin, stderr, stdin.isTTY ? nowhere() : undefined);
}

function ask(
  question: string,
  stdin: Input,
  stderr: Terminal,
  echo: Writable | undefined,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  if (stdin.isTTY) stderr.write(question);
  const lines = createInterface({
    input: stdin,
    terminal: stdin.isTTY === true,
    ...(echo === undefined ? {} : { output: echo }),
  });
  let answer: string | undefined;
  lines.once('line', (line) => {
    answer = line;
    lines.close();
  });
  lines.once('SIGINT', () => lines.close());
  lines.once('close', () => {
    if (stdin.isTTY && echo !== stderr) stderr.write('\n');
    if (answer === undefined) reject(new UsageError('nothing was given'));
    else resolve(answer);
  });
  return promise;
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
