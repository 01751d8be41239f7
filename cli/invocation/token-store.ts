import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../../schemas/client/errors.ts';
import { membersOf } from '../../schemas/members.ts';

/** A stored login: the e-mail, and the token. */
type Login = { email: string; token: string };

/** The file of logins can't be used. */
export class TokenStoreError extends Error {
  override readonly name = 'TokenStoreError';
}

/** Keeps one login for each server, in one file that only its owner may read. */
export class TokenStore {
  readonly #path: string;

  constructor(configDir: string) {
    this.#path = join(configDir, 'logins.json');
  }

  /** The login at the server that answers at this URL. A token never goes to another one. */
  find(url: string): Login | undefined {
    return this.#read().get(new URL(url).origin);
  }

  keep(url: string, login: Login): void {
    const logins = this.#read();
    logins.set(new URL(url).origin, login);
    this.#write(logins);
  }

  /** Whether there was one to forget. */
  forget(url: string): boolean {
    const logins = this.#read();
    const had = logins.delete(new URL(url).origin);
    if (had) this.#write(logins);
    return had;
  }

  #read(): Map<string, Login> {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return new Map();
      throw new TokenStoreError(`${this.#path} can't be read (${codeOf(error)})`);
    }
    try {
      const { servers }: { servers: Record<string, Login> } = JSON.parse(text);
      return new Map(Object.entries(servers).filter(([, login]) => isLogin(login)));
    } catch {
      throw new TokenStoreError(`${this.#path} is damaged: delete it, and log in again`);
    }
  }

  /** Writes the whole file or nothing, never readable by others. */
  #write(logins: Map<string, Login>): void {
    const temporary = `${this.#path}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      rmSync(temporary, { force: true });
      writeFileSync(
        temporary,
        `${JSON.stringify({ servers: Object.fromEntries(logins) }, undefined, 2)}\n`,
        { mode: 0o600, flag: 'wx', flush: true },
      );
      chmodSync(temporary, 0o600);
      renameSync(temporary, this.#path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw new TokenStoreError(`${this.#path} can't be written (${codeOf(error)})`);
    }
  }
}

function isLogin(login: unknown): boolean {
  const { email, token } = membersOf(login);
  return typeof email === 'string' && typeof token === 'string';
}
