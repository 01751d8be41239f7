import { homedir } from 'node:os';
import { join } from 'node:path';
import { normalize } from './input/argv.ts';
import { toFailure, withoutSecrets } from './invocation/failures.ts';
import { harmless } from './terminal/output/cell.ts';
import { styled } from './terminal/output/output.ts';
import { createProgram } from './program.ts';

const { env, stdin, stdout, stderr } = process;

// Arguments can contain tokens and keys, and everybody on the machine can read them.
process.title = 'millrace';

// The reader of a pipe may close it early: `millrace things get all | head -1`.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit();
    throw error;
  });
}

const secrets: string[] = [];
const program = createProgram({
  stdin,
  stdout,
  stderr,
  configDir: join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'millrace'),
  baseUrl: env['MILLRACE_URL'] || undefined,
  token: env['MILLRACE_TOKEN'] || undefined,
  password: env['MILLRACE_PASSWORD'] || undefined,
  newPassword: env['MILLRACE_NEW_PASSWORD'] || undefined,
  secrets,
});

try {
  const { command } = program;
  await command.parseAsync(normalize(process.argv.slice(2), command.options), { from: 'user' });
} catch (error) {
  const failure = toFailure(error);
  if (failure !== undefined) {
    const told = (text: string) => harmless(withoutSecrets(text, secrets));
    const [first = '', ...more] = failure.text.split('\n').map(told);
    stderr.write(`${styled('red', 'error:', stderr)} ${first}\n`);
    for (const line of more) stderr.write(`${line}\n`);
    for (const line of [failure.hint, failure.reference]) {
      if (line !== undefined) stderr.write(`${told(line)}\n`);
    }
    process.exitCode = failure.exitCode;
  }
}
