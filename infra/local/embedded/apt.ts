import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from '../supervisor/child.ts';
import { lastLine } from './redis-server.ts';

/** apt-get must not be cut off in the middle of a download without need. */
const aptStopMsMax = 5_000;
/** The most that apt says of a package and of all that it needs. */
const answerBytesMax = 1024 * 1024;

export type Run = (command: Command, stopMsMax: number) => Promise<void>;

/**
 * Debian's apt as any user may run it: it changes nothing on the machine. Its state is in a directory of our own, and
 * it believes that nothing is installed. So it names all that a program needs, whatever is installed here or half
 * installed, and that is unpacked beside it.
 */
export class Apt {
  readonly #env: NodeJS.ProcessEnv;
  readonly #directory: string;
  readonly #run: Run;
  readonly #options: string[];

  constructor(env: NodeJS.ProcessEnv, directory: string, run: Run) {
    this.#env = { ...env, LC_ALL: 'C' };
    this.#directory = directory;
    this.#run = run;
    this.remove();
    for (const made of ['lists/partial', 'cache/archives/partial', 'packages']) {
      mkdirSync(join(directory, made), { recursive: true });
    }
    const nothingInstalled = join(directory, 'status');
    writeFileSync(nothingInstalled, '');
    this.#options = asOptions({
      'Dir::State::status': nothingInstalled,
      'Dir::Cache': join(directory, 'cache'),
      'Debug::NoLocking': 'true',
      // Descriptions of packages, which nobody reads here, are two fifths of the lists.
      'Acquire::Languages': 'none',
      // Root would give the download to a user who can't come here.
      'APT::Sandbox::User': 'root',
    });
  }

  /** Fetches lists of packages, which are taken from now on instead of the machine's. */
  async update(): Promise<void> {
    this.#options.push(...asOptions({ 'Dir::State::lists': join(this.#directory, 'lists') }));
    await this.#execute('apt-get', [...this.#options, '-q', 'update']);
  }

  /**
   * Unpacks two packages and the libraries that they need into a directory. The C library stays the machine's: it
   * belongs to the machine's loader.
   */
  async unpack(server: string, tools: string, into: string): Promise<void> {
    const libraries = (await this.#needsOf(tools)).filter((name) => /^lib(?!c6|c-)/.test(name));
    const downloads = join(this.#directory, 'packages');
    rmSync(downloads, { recursive: true, force: true });
    mkdirSync(downloads);
    const download = ['apt-get', ...this.#options, '-qq', 'download', server, tools, ...libraries];
    await this.#execute('sh', ['-c', 'cd "$0" && exec "$@"', downloads, ...download]);
    const unpackAll = 'for package in "$0"/*.deb; do dpkg-deb -x "$package" "$1" || exit 1; done';
    await this.#execute('sh', ['-c', unpackAll, downloads, into]);
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** The names of all packages that one needs. */
  async #needsOf(name: string): Promise<string[]> {
    const asked = ['-q', '-y', '--no-install-recommends', '--print-uris', 'install', name];
    try {
      const { stdout } = await promisify(execFile)('apt-get', [...this.#options, ...asked], {
        env: this.#env,
        maxBuffer: answerBytesMax,
      });
      // 'http://…/libzstd1_1.5.4_amd64.deb' libzstd1_1.5.4_amd64.deb 290036 SHA256:…
      return [...stdout.matchAll(/^'[^']*' ([^_]+)_/gm)].map(([, found = '']) => found);
    } catch (error) {
      const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
      throw new Error(lastLine(said) || String(error), { cause: error });
    }
  }

  #execute(command: string, args: string[]): Promise<void> {
    const env = this.#env;
    return this.#run({ name: 'apt', command, args, env, orphanSignal: 'SIGTERM' }, aptStopMsMax);
  }
}

function asOptions(options: Record<string, string>): string[] {
  return Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}
