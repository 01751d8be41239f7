import type { Call } from '../../invocation/call.ts';

/** So many things of an answer at most are looked up for their names, one by one. */
const namesMax = 50;

/** A message as people look at it: with the name of its thing, instead of the id. */
type Named = Record<string, unknown>;

/** Gives messages the names of their things. Who may not see a thing gets its id, as before. */
export class ThingNames {
  readonly #call: Call;
  readonly #token: string | undefined;
  readonly #names = new Map<string, Promise<string | undefined>>();

  /** By the token of the command, of the environment or of the login: by none, messages keep the ids. */
  constructor(call: Call, token?: string) {
    this.#call = call;
    this.#token = call.token('things', token);
  }

  async name(message: Named): Promise<Named> {
    const { publisher, ...others } = message;
    const thing = typeof publisher === 'string' ? await this.#nameOf(publisher) : undefined;
    return thing === undefined ? message : { ...others, thing };
  }

  nameAll(messages: readonly object[]): Promise<Named[]> {
    return Promise.all(messages.map((message) => this.name({ ...message })));
  }

  #nameOf(id: string): Promise<string | undefined> {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    if (this.#token === undefined || this.#names.size >= namesMax)
      return Promise.resolve(undefined);
    const viewed = this.#call.as('things', this.#token).call('viewThing', { path: { id } });
    const name = viewed.then(
      (thing) => thing.name,
      () => undefined,
    );
    this.#names.set(id, name);
    return name;
  }
}
