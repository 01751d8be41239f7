import { NewThing, type Thing } from '../../schemas/resources/thing.ts';
import { ApiError } from '../../schemas/client/errors.ts';
import { isId } from '../input/usage.ts';
import { isOf, metadataOf, type ParsedEntry, problemOf, unknownMember, wrong } from './entry.ts';
import type { Kind } from './kind.ts';

const members = ['name', 'id', 'group_id', 'profile_id', 'metadata', 'type', 'external_key'];

const cells = ['id', 'name', 'group_id', 'profile_id'] as const;

/** After the columns that have names come metadata keys and values by turns. */
function fromCells(
  line: number,
  all: readonly string[],
  profileId: string | undefined,
): ParsedEntry<NewThing> {
  const [id = '', name = '', groupId = '', ownProfileId = '', ...rest] = all;
  const found = metadataOf(rest);
  if (found.kind === 'wrong') return found;
  const value = {
    ...(id === '' ? {} : { id }),
    ...(name === '' ? {} : { name }),
    ...(groupId === '' ? {} : { group_id: groupId }),
    ...(ownProfileId === '' ? {} : { profile_id: ownProfileId }),
    ...(Object.keys(found.metadata).length === 0 ? {} : { metadata: found.metadata }),
  };
  return fromObject(line, value, profileId);
}

function fromObject(
  line: number,
  value: object,
  profileId: string | undefined,
): ParsedEntry<NewThing> {
  const unknown = unknownMember(value, members);
  if (unknown !== undefined) return wrong(unknown);
  const { group_id, profile_id, ...given }: Record<string, unknown> = { ...value };
  const thing = { type: 'device', ...given };
  if (!isOf(NewThing, thing)) return wrong(problemOf(NewThing, thing) ?? 'it is wrong');
  const parentId = profile_id ?? profileId;
  if (parentId === undefined) {
    return wrong('profile_id is missing, here and as an argument of the command');
  }
  if (typeof parentId !== 'string' || !isId(parentId)) return wrong('profile_id is not an id');
  if (group_id !== undefined && (typeof group_id !== 'string' || !isId(group_id))) {
    return wrong('group_id is not an id');
  }
  const { id, name, external_key: externalKey } = thing;
  return {
    kind: 'entry',
    entry: { line, parentId, groupId: group_id, name, id, externalKey, new: thing },
  };
}

export const things: Kind<NewThing, Thing> = {
  what: 'things',
  one: 'thing',
  parent: 'profile_id',
  columns: ['id', 'name', 'type', 'key', 'external_key', 'profile_id', 'group_id', 'metadata'],
  cells,
  fromCells,
  fromObject,
  groupOf: async (client, id) => (await client.call('viewProfile', { path: { id } })).group_id,
  create: async (client, id, body) =>
    (await client.call('createThings', { path: { id }, body })).things,
  view: (client, id) => client.call('viewThing', { path: { id } }),
  parentOf: (thing) => thing.profile_id,
  async findNamed(client, id, name) {
    const request = { path: { id }, query: { name, limit: 200 } };
    return (await client.call('listGroupThings', request)).things;
  },
  async findOther(client, { external_key: key }) {
    if (key === undefined) return undefined;
    try {
      const { id } = await client.call('identifyThing', { body: { key, type: 'external' } });
      return { id, member: 'external_key' };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  },
};
