import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What `openssl req` is told: the kind of key, extensions, and what else. */
type SelfSigned = { kind: string[]; extensions: string[]; more: string[] };

const authority: SelfSigned = {
  kind: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  extensions: [
    'basicConstraints=critical,CA:TRUE',
    'keyUsage=critical,keyCertSign,cRLSign,digitalSignature',
    'subjectKeyIdentifier=hash',
  ],
  more: [],
};

/** The `openssl` command over files of its own: a second opinion on all that is signed. */
export class OpenSsl {
  readonly directory = mkdtempSync(join(tmpdir(), 'millrace-openssl-'));

  /** Keeps a text or bytes; gives the path. */
  file(name: string, content: string | Uint8Array): string {
    const path = join(this.directory, name);
    writeFileSync(path, content);
    return path;
  }

  /** What the command prints. @throws with what it says, where it fails. */
  run(...args: string[]): string {
    return execFileSync('openssl', args, { cwd: this.directory, encoding: 'utf8', stdio: 'pipe' });
  }

  /** What the command says about its work where it must fail. */
  complaint(...args: string[]): string {
    const { status, stderr } = this.#spawn(args);
    if (status === 0) throw new Error(`openssl ${args.join(' ')} did not complain`);
    return stderr;
  }

  /** What the command says about its work, whatever comes of it. */
  said(...args: string[]): string {
    return this.#spawn(args).stderr;
  }

  #spawn(args: string[]) {
    return spawnSync('openssl', args, { cwd: this.directory, encoding: 'utf8' });
  }

  /** A self-signed certificate of an authority, unless told otherwise, and its key; by their paths. */
  selfSigned(
    name: string,
    options: Partial<SelfSigned> = {},
  ): { certificate: string; key: string } {
    const { kind, extensions, more } = { ...authority, ...options };
    const key = join(this.directory, `${name}.key`);
    const certificate = join(this.directory, `${name}.pem`);
    const config = this.file('req.cnf', '[req]\ndistinguished_name = name\n[name]\n');
    const base = ['req', '-x509', '-config', config, '-nodes', '-subj', `/CN=${name}`];
    const files = ['-days', '30', '-keyout', key, '-out', certificate];
    const added = extensions.flatMap((extension) => ['-addext', extension]);
    this.run(...base, ...files, '-newkey', ...kind, ...more, ...added);
    return { certificate, key };
  }

  close(): void {
    rmSync(this.directory, { recursive: true });
  }
}
