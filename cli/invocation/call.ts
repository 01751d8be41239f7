import type { Command } from 'commander';
import { assign, looksLikeJson } from '../input/arguments.ts';
import {
  type Answers,
  type Creation,
  Millrace,
  type OperationName,
  type Request,
  type Requests,
} from '../../schemas/client/client.ts';
import { having, type Shape } from '../../schemas/client/shape.ts';
import { serviceOf, type ServiceUrls } from '../../schemas/client/urls.ts';
import type { CliContext } from './context.ts';
import type { AnyFields } from '../input/fields.ts';
import { attributeOf, isGlobal } from '../input/flags.ts';
import { ancestors, knownOf } from './known.ts';
import { parseExactly } from '../../schemas/json/exact.ts';
import { harmless } from '../terminal/output/cell.ts';
import { Output } from '../terminal/output/output.ts';
import { askFor } from '../terminal/prompt.ts';
import { readSettings, scopeFlags, type Settings } from '../input/settings.ts';
import { readStdin } from '../terminal/stdin.ts';
import { TokenStore } from './token-store.ts';
import {
  parseDuration,
  parseId,
  parseIds,
  parseList,
  parseObject,
  UsageError,
} from '../input/usage.ts';

/** The verb of a command that removes. */
export type RemovalVerb = 'remove' | 'revoke' | 'decline';

/** The user answered no. */
export class DeclinedError extends Error {
  override readonly name = 'DeclinedError';
}

/** Arguments that may be a token, a key or a password; the id of a key is not. */
const secretArguments = /token|key(?!_)|password/;

/** One invocation of a command: its arguments, its settings and its context. */
export class Call {
  readonly settings: Settings;
  readonly output: Output;
  readonly store: TokenStore;
  readonly context: CliContext;
  readonly #command: Command;
  readonly #arguments = new Map<string, string[]>();
  /** The body from flags, in place of the JSON. */
  readonly #body: Record<string, unknown> | undefined;
  /** By the token of the user. */
  readonly #clients = new Map<string | undefined, Millrace>();

  constructor(command: Command, given: readonly unknown[], context: CliContext) {
    this.#command = command;
    this.context = context;
    const typed = command.registeredArguments.map((_argument, index) =>
      [given[index]].flat().filter((one) => typeof one === 'string'),
    );
    // Errors from here on may contain them.
    for (const [index, argument] of command.registeredArguments.entries()) {
      if (secretArguments.test(argument.name())) context.secrets.push(...(typed[index] ?? []));
    }
    for (const one of [context.token, context.password, context.newPassword]) {
      if (one !== undefined) context.secrets.push(one);
    }
    this.settings = readSettings(command.optsWithGlobals(), context);
    this.output = new Output(context.stdout, this.settings);
    this.store = new TokenStore(context.configDir);
    const { arguments: all = [], extras = {} } = knownOf(command) ?? {};
    if (extras.removes === true) this.#mustObeyAll(extras.uses ?? []);
    const { fields, parent } = extras;
    if (fields === undefined && parent === undefined) {
      for (const [index, argument] of command.registeredArguments.entries()) {
        const texts = typed[index] ?? [];
        if (texts.length > 0) this.#arguments.set(argument.name(), texts);
      }
      return;
    }
    const words = typed.flat();
    this.#body = fields === undefined ? undefined : this.#bodyOf(fields, words[0]);
    const parentId = parent === undefined ? undefined : this.flag(attributeOf(parent.flags));
    const byFlags = new Set<string>();
    if (this.#body !== undefined) byFlags.add('JSON');
    if (parent !== undefined && parentId !== undefined) {
      byFlags.add(parent.argument);
      this.#arguments.set(parent.argument, [parentId]);
    }
    const flags = parent === undefined ? {} : { [parent.argument]: parent.flags };
    for (const [name, text] of assign(all, words, byFlags, flags)) {
      this.#arguments.set(name, [text]);
    }
    if (this.find('token') !== undefined) context.secrets.push(this.text('token'));
  }

  /** Refuses flags that a removing command would ignore: in other commands they reduce the result. */
  #mustObeyAll(uses: readonly string[]): void {
    const root = ancestors(this.#command).at(-1);
    const ignored = scopeFlags.filter(
      (name) => !uses.includes(name) && root?.getOptionValueSource(name) === 'cli',
    );
    if (ignored.length === 0) return;
    const flags = (root?.options ?? [])
      .filter((option) => ignored.includes(option.attributeName()))
      .map(({ long }) => long);
    throw new UsageError(
      `${[...new Set(flags)].join(' and ')} would be ignored here, so nothing was done`,
    );
  }

  /** The body from flags; undefined if it is given as JSON. */
  #bodyOf(fields: AnyFields, first: string | undefined): Record<string, unknown> | undefined {
    const options: Record<string, unknown> = this.#command.optsWithGlobals();
    const given = Object.entries(fields).flatMap(([member, field]) => {
      const value = options[attributeOf(field.flags)];
      return typeof value === 'string' ? [{ member, field, value }] : [];
    });
    if (given.length === 0) return undefined;
    if (first !== undefined && looksLikeJson(first)) {
      const own = given.find(({ field }) => !isGlobal(field.flags));
      // A flag of all commands may be in a script for any reason; a flag of this command is meant.
      if (own === undefined) return undefined;
      throw new UsageError(`give the JSON or ${own.field.flags}, not both`);
    }
    return Object.fromEntries(
      given.map(({ member, field, value }) => [
        member,
        field.read(field.flags.replace(/ .*/, ''), value),
      ]),
    );
  }

  /** `-` for the JSON is standard input. */
  async readBody(): Promise<void> {
    if (this.find('JSON') !== '-') return;
    const text = await readStdin(this.context.stdin);
    this.#arguments.set('JSON', [text.toString()]);
  }

  /** A flag of this command alone. */
  flag(name: string): string | undefined {
    const value: unknown = this.#command.opts()[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** Whether a switch of this command is on. */
  isOn(name: string): boolean {
    return this.#command.opts()[name] === true;
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

  /** One id, or a JSON list of them. */
  idOrIds(name: string): string[] {
    return looksLikeJson(this.text(name)) ? this.ids(name) : [this.id(name)];
  }

  /** The query of a list, from the flags. */
  query(): object {
    return { ...this.settings.page, ...this.filters() };
  }

  /** The same without a page. */
  filters(): object {
    return { ...this.#body };
  }

  /** The body of a search. Flags of pages hold where its filters are flags as well. */
  search(name: string): object {
    return this.#body === undefined ? this.object(name, having<object>()) : this.query();
  }

  object<Type extends object>(name: string, shape: Shape<Type>): Type {
    return this.#fromFlags(shape) ?? parseObject(name, this.text(name), shape);
  }

  list<Type extends object>(name: string, shape: Shape<Type>, member?: string): Type[] {
    const one = this.#fromFlags(shape);
    return one === undefined ? parseList(name, this.text(name), shape, member) : [one];
  }

  #fromFlags<Type extends object>(shape: Shape<Type>): Type | undefined {
    const body = this.#body;
    if (body === undefined || shape.fits(body)) return body;
    const { fields = {} } = knownOf(this.#command)?.extras ?? {};
    const missing = shape.members.filter((member) => !(member in body));
    const flags = missing.map((member) => fields[member]?.flags ?? member);
    throw new UsageError(`missing ${flags.join(' and ')}`);
  }

  seconds(name: string): number {
    return parseDuration(name, this.text(name));
  }

  /** Asks for an operation as the user. */
  ask<Name extends OperationName>(name: Name, request: Request<Name>): Promise<Answers[Name]> {
    return this.as(serviceOf(name)).call(name, request);
  }

  /** Makes something as the user, and gives its id. */
  create<Name extends Creation>(name: Name, request: Requests[Name]): Promise<string> {
    return this.as(serviceOf(name)).create(name, request);
  }

  /**
   * The client, as the user whose token stands last; where it was left out, by `MILLRACE_TOKEN`, or as who is logged in
   * at the server of this service.
   */
  as(service: keyof ServiceUrls, token?: string): Millrace {
    const known = this.token(service, token);
    if (known === undefined) {
      throw new UsageError(
        'no token was given, and nobody is logged in at this server. Log in with: millrace login; or set MILLRACE_TOKEN',
      );
    }
    return this.#open(known);
  }

  /** The token that is good there: the one given, that of the environment, or that of the login. */
  token(service: keyof ServiceUrls, given = this.find('token')): string | undefined {
    const url = this.settings.urls[service];
    return given ?? this.context.token ?? this.store.find(url)?.token;
  }

  /** A word to the person, beside the data. */
  tell(text: string): void {
    this.context.stderr.write(`${harmless(text)}\n`);
  }

  /**
   * Asks before something is taken away, unless `--yes` was given. @throws UsageError where nobody can be asked,
   * DeclinedError for a no.
   */
  async confirm(verb: RemovalVerb, what: string): Promise<void> {
    const { stdin, stderr } = this.context;
    if (this.isOn('yes')) return;
    if (stdin.isTTY !== true) {
      throw new UsageError(
        `this ${verb}s ${what}. Nobody can be asked here, so nothing was ${verb}d: add --yes`,
      );
    }
    const question = `${verb[0]?.toUpperCase()}${verb.slice(1)} ${harmless(what)}? [y/N] `;
    const answer = await askFor(question, stdin, stderr);
    if (!/^y(es)?$/i.test(answer.trim())) throw new DeclinedError(`nothing was ${verb}d`);
  }

  /** The client, as nobody. */
  anonymous(): Millrace {
    return this.#open(undefined);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }

  #open(token: string | undefined): Millrace {
    const { urls, insecure } = this.settings;
    const client =
      this.#clients.get(token) ?? new Millrace({ urls, insecure, token, parse: parseExactly });
    this.#clients.set(token, client);
    return client;
  }
}
