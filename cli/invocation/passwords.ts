import type { Call } from './call.ts';
import { askSecretly } from '../terminal/prompt.ts';
import { type Input, readStdin } from '../terminal/stdin.ts';
import { UsageError } from '../input/usage.ts';

/** A password that a command needs: its question, and its value in the environment. */
type Wanted = { question: string; known: string | undefined; isNew: boolean };

/**
 * Passwords come from the environment, from questions on a terminal, or from lines of standard input. Never from the
 * command line, which everybody on the machine can read.
 */
export async function readPasswords(call: Call, wanted: readonly Wanted[]): Promise<string[]> {
  const { stdin } = call.context;
  const isPiped = call.isOn('passwordStdin') || stdin.isTTY !== true;
  const known = wanted.flatMap((one) => one.known ?? []);
  const passwords =
    known.length === wanted.length && !call.isOn('passwordStdin')
      ? known
      : isPiped
        ? await readLines(stdin, wanted.length)
        : await askAll(call, wanted);
  call.context.secrets.push(...passwords);
  return passwords;
}

async function readLines(stdin: Input, count: number): Promise<string[]> {
  const lines = (await readStdin(stdin)).toString().split(/\r?\n/).slice(0, count);
  if (lines.length === count && lines.every((line) => line !== '')) return lines;
  throw new UsageError(
    `${count === 1 ? 'a password is' : `${count} passwords are`} needed: on a terminal they are asked for; from a pipe, a line each`,
  );
}

async function askAll(call: Call, wanted: readonly Wanted[]): Promise<string[]> {
  const { stdin, stderr } = call.context;
  const passwords: string[] = [];
  for (const { question, isNew } of wanted) {
    const password = await askSecretly(question, stdin, stderr);
    if (password === '') throw new UsageError('a password is needed');
    if (isNew && (await askSecretly('Once more: ', stdin, stderr)) !== password) {
      throw new UsageError('the two differ');
    }
    passwords.push(password);
  }
  return passwords;
}

/** Refuses a password that was typed as an argument, and says how to give it. */
export function refusePasswords(typed: readonly string[], tokensMax: 0 | 1): void {
  const tokens = typed.filter((text) => /^mrk_|^[\w-]+\.[\w-]+\.[\w-]+$/.test(text));
  if (typed.length <= tokensMax && tokens.length === typed.length) return;
  throw new UsageError(
    'a password does not belong on the command line, where everybody on the machine can read it: leave it out to be asked, pipe it in (--password-stdin), or set MILLRACE_PASSWORD',
  );
}

/** The same for a password inside JSON, which is accepted with a warning. */
export function warnOfPassword(call: Call): void {
  call.tell(
    'warning: a password on the command line can be read by everybody on this machine, and stays in the history of the shell',
  );
}
