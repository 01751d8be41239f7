import type { Command } from 'commander';
import type {
  Answers,
  Creation,
  OperationName,
  Request,
  Requests,
} from '../../schemas/client/client.ts';
import { having } from '../../schemas/client/shape.ts';
import type { AnyFields } from '../input/fields.ts';
import { pageFlags } from '../input/flags.ts';
import { isId, UsageError } from '../input/usage.ts';
import type { Call } from '../invocation/call.ts';
import type { Add, Run } from '../invocation/command.ts';
import { askFirst } from '../invocation/removal.ts';

/*
 * The ordinary command asks for one operation. Its row names that, and how the arguments and flags become its request:
 *
 *     add(get, 'by-thing <thing_id> [token]', 'Show the group of a thing', show('viewThingGroup', of('thing_id')));
 */

/** Operations that answer something to show. */
type Telling = {
  [Name in OperationName]: Answers[Name] extends object ? Name : never;
}[OperationName];

/** Shows the answer. */
export function show<Name extends Telling>(
  name: Name,
  request: (call: Call) => Request<Name>,
): Run {
  return async (call) => {
    const answer: object = await call.ask(name, request(call));
    await call.output.show(answer);
  };
}

/** Changes something, and says that it is done. */
export function change<Name extends OperationName>(
  name: Name,
  request: (call: Call) => Request<Name>,
): Run {
  return async (call) => {
    await call.ask(name, request(call));
    await call.output.ok();
  };
}

/** Makes something, and shows its id. */
export function make<Name extends Creation>(
  name: Name,
  request: (call: Call) => Requests[Name],
): Run {
  return async (call) => call.output.created([await call.create(name, request(call))]);
}

/** Of the entity whose id is this argument. */
export const of = (argument: string) => (call: Call) => ({ path: { id: call.id(argument) } });

/** The filters and the page that flags name. */
export const listed = (call: Call) => ({ query: call.query() });
export const listedOf = (argument: string) => (call: Call) => ({
  ...of(argument)(call),
  ...listed(call),
});

/** The page alone. */
export const pageOf = (argument: string) => (call: Call) => ({
  ...of(argument)(call),
  query: call.settings.page,
});

export const searched = (call: Call) => ({ body: call.search('JSON') });

/** The members that are to change. */
export const changed = (argument: string) => (call: Call) => ({
  body: call.object('JSON', having<object>()),
  ...of(argument)(call),
});

/** Adds `delete`, of one or of several at once. */
export function addDelete(
  group: Command,
  add: Add,
  one: Kind['one'] | 'webhook',
  {
    about,
    describe,
    remove,
    examples,
  }: {
    about: string;
    /** All that goes, in words. */
    describe: (call: Call, ids: readonly string[]) => string | Promise<string>;
    remove: (call: Call, ids: string[]) => Promise<unknown>;
    examples: readonly string[];
  },
): void {
  add(
    group,
    `delete <JSON|${one}_id> [token]`,
    `${about}, or a list of them: '["<${one}_id>"]'`,
    async (call) => {
      const ids = call.idOrIds(`JSON|${one}_id`);
      await askFirst(call, 'remove', await describe(call, ids), () => remove(call, ids));
    },
    { removes: true, examples },
  );
}

/** Of a group, or of all one's groups: an argument that is no id is a token. */
export function groupOrAll(call: Call): { group: string | undefined; token: string | undefined } {
  const first = call.find('group_id|token');
  const second = call.find('token');
  if (first !== undefined && isId(first)) return { group: first, token: second };
  if (second !== undefined) throw new UsageError('group_id is not an id');
  return { group: undefined, token: first };
}

/** An argument that is no id is a token; without an id the caller is meant. */
export async function whoIsMeant(call: Call): Promise<{ id: string; token: string | undefined }> {
  const first = call.find('user_id|token');
  const second = call.find('token');
  if (first !== undefined && isId(first)) return { id: first, token: second };
  if (second !== undefined) throw new UsageError('user_id is not an id');
  const { id } = await call.as('users', first).call('viewOwnUser', {});
  return { id, token: first };
}

/** Groups, profiles and things: shown one by one, listed, and searched, everywhere or in a place. */
export type Kind = {
  one: 'group' | 'profile' | 'thing';
  /** The filters of lists and searches. */
  filters: AnyFields;
  view: 'viewGroup' | 'viewProfile' | 'viewThing';
  list: 'listGroups' | 'listProfiles' | 'listThings';
  search: 'searchGroups' | 'searchProfiles' | 'searchThings';
  /** The places whose entities can be listed and searched. */
  places: Readonly<Record<string, { list: ListOfPlace; search: SearchOfPlace }>>;
  /** The flags of a search, for an example. */
  example: string;
  /** Examples of lists. */
  listExamples?: readonly string[];
};

type ListOfPlace =
  | 'listOrgGroups'
  | `list${'Group' | 'Org'}Profiles`
  | `list${'Profile' | 'Group' | 'Org'}Things`;
type SearchOfPlace =
  | 'searchOrgGroups'
  | `search${'Group' | 'Org'}Profiles`
  | `search${'Profile' | 'Group' | 'Org'}Things`;

/** Adds `get` with its subcommands; returns it, for more of them. */
export function addGet(group: Command, add: Add, kind: Kind): Command {
  const { one, filters: fields, listExamples } = kind;
  const view = show(kind.view, of(`${one}_id`));
  const list = show(kind.list, listed);
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
export function addList(
  group: Command,
  add: Add,
  { one, filters: fields, places }: Kind,
  command: string,
  place: string,
): void {
  const { list } = places[place] ?? {};
  if (list === undefined) throw new Error(`${one}s have no ${place}`);
  add(
    group,
    `${command} <${place}_id> [token]`,
    `List the ${one}s of ${place === 'org' ? 'an' : 'a'} ${place}`,
    show(list, listedOf(`${place}_id`)),
    { fields, uses: pageFlags },
  );
}

/** Adds `search` everywhere and in each place. */
export function addSearch(group: Command, add: Add, kind: Kind): void {
  const { one, filters: fields, places, example } = kind;
  const found = add(
    group,
    'search <JSON> [token]',
    `Search all ${one}s`,
    show(kind.search, searched),
    {
      fields,
      uses: pageFlags,
      examples: [`${one}s search ${example}`, `${one}s search '{"metadata":{"hall":3},"limit":5}'`],
    },
  );
  for (const [place, { search }] of Object.entries(places)) {
    const id = `${place}_id`;
    add(
      found,
      `by-${place} <JSON> <${id}> [token]`,
      `Search in ${place === 'org' ? 'an' : 'a'} ${place}`,
      show(search, (call) => ({ ...searched(call), ...of(id)(call) })),
      {
        fields,
        parent: { argument: id, flags: `--${place} <id>` },
        uses: pageFlags,
        examples: [`${one}s search by-${place} ${example} --${place} $${place.toUpperCase()}`],
      },
    );
  }
}
