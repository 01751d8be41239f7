import type { Command } from 'commander';
import type { Call } from '../invocation/call.ts';
import type { Add } from '../invocation/command.ts';
import type { AnyFields } from '../input/fields.ts';
import { pageFlags } from '../input/flags.ts';

/** Groups, profiles and things: shown one by one, listed, and searched, everywhere or in a place. */
export type Kind<Of> = {
  one: 'group' | 'profile' | 'thing';
  /** The filters of lists and searches. */
  filters: AnyFields;
  /** The places whose entities can be listed and searched. */
  places: Readonly<Record<string, (id: string) => Of>>;
  client: (call: Call) => {
    view(id: string): Promise<object>;
    list(of: Of | 'all', query: object): Promise<object>;
    search(of: Of | 'all', body: object): Promise<object>;
  };
  /** The flags of a search, for an example. */
  example: string;
  /** Examples of lists. */
  listExamples?: readonly string[];
};

/** Adds `get` with its subcommands; returns it, for more of them. */
export function addGet<Of>(group: Command, add: Add, kind: Kind<Of>): Command {
  const { one, filters: fields, listExamples } = kind;
  const view = async (call: Call) => {
    await call.output.show(await kind.client(call).view(call.id(`${one}_id`)));
  };
  const list = async (call: Call) => {
    await call.output.show(await kind.client(call).list('all', call.query()));
  };
  const extras = {
    fields,
    uses: pageFlags,
    ...(listExamples === undefined ? {} : { examples: listExamples }),
  };
  const get = add(group, `get <${one}_id> [token]`, `Show one ${one}, or list them`, view);
  add(get, 'all [token]', `List all ${one}s`, list, extras);
  // The platform's client says `get all`. Everybody else types this first.
  add(group, 'list [token]', `List all ${one}s, as "get all"`, list, extras);
  add(get, `by-id <${one}_id> [token]`, `Show one ${one}`, view);
  for (const place of Object.keys(kind.places)) addList(get, add, kind, `by-${place}`, place);
  return get;
}

/** Adds the list of a place. */
export function addList<Of>(
  group: Command,
  add: Add,
  { one, filters: fields, places, client }: Kind<Of>,
  name: string,
  place: string,
): void {
  const of = places[place];
  if (of === undefined) throw new Error(`${one}s have no ${place}`);
  add(
    group,
    `${name} <${place}_id> [token]`,
    `List the ${one}s of ${place === 'org' ? 'an' : 'a'} ${place}`,
    async (call) => {
      await call.output.show(await client(call).list(of(call.id(`${place}_id`)), call.query()));
    },
    { fields, uses: pageFlags },
  );
}

/** Adds `search` everywhere and in each place. */
export function addSearch<Of>(group: Command, add: Add, kind: Kind<Of>): void {
  const { one, filters: fields, places, client, example } = kind;
  const found = add(
    group,
    'search <JSON> [token]',
    `Search all ${one}s`,
    async (call) => {
      await call.output.show(await client(call).search('all', call.search('JSON')));
    },
    {
      fields,
      uses: pageFlags,
      examples: [`${one}s search ${example}`, `${one}s search '{"metadata":{"hall":3},"limit":5}'`],
    },
  );
  for (const [place, of] of Object.entries(places)) {
    add(
      found,
      `by-${place} <JSON> <${place}_id> [token]`,
      `Search in ${place === 'org' ? 'an' : 'a'} ${place}`,
      async (call) => {
        const body = call.search('JSON');
        await call.output.show(await client(call).search(of(call.id(`${place}_id`)), body));
      },
      {
        fields,
        parent: { argument: `${place}_id`, flags: `--${place} <id>` },
        uses: pageFlags,
        examples: [`${one}s search by-${place} ${example} --${place} $${place.toUpperCase()}`],
      },
    );
  }
}
