import { channel } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { normalize } from '../../../cli/input/argv.ts';
import { toFailure } from '../../../cli/invocation/failures.ts';
import { createProgram } from '../../../cli/program.ts';
import type { Home } from './millrace.ts';

/** How a run of the client inside this process ended. */
export type EndedHere = { code: number; out: Buffer; error: string };

export type Here = {
  url: string;
  configDir: string;
  token?: string;
  /** What is piped in; or, on a terminal, what is typed after each question. */
  stdin?: string;
  /** A person types, and reads what it says; its output goes to the same terminal only if `toTerminal`. */
  terminal?: boolean;
  toTerminal?: boolean;
};

/** A request that this process made. */
export type Asked = { method: string; path: string };

/** Writes down all requests from now on. */
export function recordRequests(): { asked: readonly Asked[]; stop(): Asked[] } {
  const asked: Asked[] = [];
  const note = (message: unknown) => {
    const { method, path }: { method: string; path: string } = Object(message).request;
    asked.push({ method, path: path.replace(/\?.*$/s, '') });
  };
  const requests = channel('undici:request:create');
  requests.subscribe(note);
  return {
    asked,
    stop() {
      requests.unsubscribe(note);
      return asked;
    },
  };
}

/** Runs the client without a process of its own: for many commands, one after the other. */
export async function runHere(words: readonly string[], here: Here): Promise<EndedHere> {
  const out: Buffer[] = [];
  let error = '';
  const stdin =
    here.terminal === true
      ? Object.assign(new PassThrough(), { isTTY: true })
      : Readable.from([Buffer.from(here.stdin ?? '')]);
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      out.push(Buffer.from(chunk));
      done();
    },
  });
  const typed = (here.stdin ?? '').split('\n');
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      error += String(chunk);
      // Who reads a question answers it.
      if (stdin instanceof PassThrough && /[:\]] $/.test(String(chunk))) {
        setImmediate(() => stdin.write(`${typed.shift() ?? ''}\n`));
      }
      done();
    },
  });
  const secrets: string[] = [];
  const { command } = createProgram({
    stdin,
    stdout: Object.assign(stdout, { isTTY: here.toTerminal === true }),
    stderr: Object.assign(stderr, { isTTY: here.terminal === true }),
    configDir: here.configDir,
    baseUrl: here.url,
    token: here.token,
    password: undefined,
    newPassword: undefined,
    secrets,
  });
  try {
    await command.parseAsync(normalize(words, command.options), { from: 'user' });
    return { code: 0, out: Buffer.concat(out), error };
  } catch (thrown) {
    const failure = toFailure(thrown);
    if (failure !== undefined) error += `${failure.text}\n${failure.reference ?? ''}`;
    return { code: failure?.exitCode ?? 0, out: Buffer.concat(out), error };
  }
}

/** Runs a command that must succeed, and gives its output. */
export async function doneHere(
  { dir, url }: Home,
  words: readonly string[],
  stdin = '',
): Promise<string> {
  const here = { url, configDir: join(dir, 'config/millrace'), stdin };
  const { code, out, error } = await runHere(words, here);
  if (code !== 0) throw new Error(`millrace ${words[0]} ${words[1]} ended with ${code}: ${error}`);
  return out.toString();
}

/** The same, and what it prints is JSON. */
export async function doneJsonHere(home: Home, words: readonly string[]): Promise<unknown> {
  return JSON.parse(await doneHere(home, words));
}

/** The bare id that `--raw` prints. */
export async function doneIdHere(
  home: Home,
  words: readonly string[],
  stdin = '',
): Promise<string> {
  return (await doneHere(home, [...words, '--raw'], stdin)).trim();
}
