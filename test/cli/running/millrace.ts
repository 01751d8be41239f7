import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const launcher = join(import.meta.dirname, '../../../cli/millrace');

/** How a run of the command ended. */
export type Ended = { code: number | null; out: string; error: string };

/** Where a person keeps their logins, and where they work. */
export type Home = { dir: string; url: string };

/** A home of one's own, for the time of a test. */
export function newHome(url: string): Home {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-cli-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return { dir, url };
}

/** The command, running. */
export function start(home: Home, args: readonly string[]) {
  const child = spawn(launcher, args, {
    cwd: home.dir,
    env: {
      PATH: process.env['PATH'],
      HOME: home.dir,
      XDG_CONFIG_HOME: join(home.dir, 'config'),
      // The stripped sources may be shared: they are the same for everyone.
      XDG_CACHE_HOME: join(tmpdir(), `millrace-cli-cache-${process.pid}`),
      MILLRACE_URL: home.url,
    },
  });
  let out = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text;
  });
  const ended: Promise<Ended> = once(child, 'close').then(() => ({
    code: child.exitCode,
    out,
    error,
  }));
  return { child, ended, output: () => out };
}

/** Runs the command to its end. */
export async function run(home: Home, args: readonly string[], stdin = ''): Promise<Ended> {
  const { child, ended } = start(home, args);
  child.stdin.end(stdin);
  return ended;
}

/** Runs what must be done, and gives its output. */
export async function done(home: Home, args: readonly string[], stdin = ''): Promise<string> {
  const { code, out, error } = await run(home, args, stdin);
  if (code !== 0) throw new Error(`millrace ${args[0]} ${args[1]} ended with ${code}: ${error}`);
  return out;
}

/** The same, and what it prints is JSON. */
export async function doneJson(home: Home, args: readonly string[]): Promise<unknown> {
  return JSON.parse(await done(home, args));
}
