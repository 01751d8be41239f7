import type { Command } from 'commander';
import { Millrace } from './client/client.ts';
import type { Shape } from './client/shape.ts';
import type { KeyType } from './client/things.ts';
import { parseExactly } from './output/exact-json.ts';
import { Output, type Terminal } from './output/output.ts';
import { readSettings, type Settings } from './settings.ts';
import { TokenStore } from './token-store.ts';
import {
  parseDuration,
  parseId,
  parseIds,
  parseKeyType,
  parseList,
  parseObject,
  UsageError,
} from './usage.ts';

/** What the process stands in. */
export type Surroundings = {
  stdin: NodeJS.ReadStream;
  stdout: Terminal;
  stderr: Terminal;
  /** Where logins are kept. */
  configDir: string;
  /** `MILLRACE_URL`. */
  baseUrl: string | undefined;
  /** What must not be repeated in an error. */
  secrets: string[];
};

/** Arguments that hold, or may hold, a token, a key or a password. */
const secretArguments = /token|key|password/;

/** One invocation of a command: its arguments, what its flags come to, and what it works with. */
export class Call {
  readonly settings: Settings;
  readonly output: Output;
  readonly store: TokenStore;
  readonly surroundings: Surroundings;
  readonly #arguments = new Map<string, string[]>();
  #client: Millrace | undefined;

  constructor(command: Command, given: readonly unknown[], surroundings: Surroundings) {
    this.surroundings = surroundings;
    this.settings = readSettings(command.optsWithGlobals(), surroundings);
    this.output = new Output(surroundings.stdout, this.settings);
    this.store = new TokenStore(surroundings.configDir);
    for (const [index, argument] of command.registeredArguments.entries()) {
      const value: unknown = given[index];
      const texts = [value].flat().filter((one) => typeof one === 'string');
      if (texts.length > 0) this.#arguments.set(argument.name(), texts);
      if (secretArguments.test(argument.name())) surroundings.secrets.push(...texts);
    }
  }

  /** An argument as it was typed. One that may be left out is asked for with `find`. */
  text(name: string): string {
    return this.find(name) ?? '';
  }

  find(name: string): string | undefined {
    return this.#arguments.get(name)?.[0];
  }

  /** All that an argument of several words holds. */
  texts(name: string): string[] {
    return this.#arguments.get(name) ?? [];
  }

  id(name: string): string {
    return parseId(name, this.text(name));
  }

  ids(name: string): string[] {
    return parseIds(name, this.text(name));
  }

  object<Type extends object>(name: string, shape: Shape<Type>): Type {
    return parseObject(name, this.text(name), shape);
  }

  list<Type extends object>(name: string, shape: Shape<Type>, member?: string): Type[] {
    return parseList(name, this.text(name), shape, member);
  }

  keyType(name: string): KeyType {
    return parseKeyType(this.text(name));
  }

  seconds(name: string): number {
    return parseDuration(name, this.text(name));
  }

  /**
   * The client, as the user whose token stands last; where it was left out, as who is logged in at the
   * server that answers at `serviceUrl`.
   */
  as(serviceUrl: string, token: string | undefined = this.find('token')): Millrace {
    const known = token ?? this.store.find(serviceUrl)?.token;
    if (known === undefined) {
      throw new UsageError(
        'no token was given, and nobody is logged in at this server. Log in with: millrace login',
      );
    }
    return this.#open(known);
  }

  /** The client, as nobody. */
  anonymous(): Millrace {
    return this.#open(undefined);
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }

  #open(token: string | undefined): Millrace {
    const { urls, insecure } = this.settings;
    this.#client = new Millrace({ urls, insecure, token, parse: parseExactly });
    return this.#client;
  }
}
