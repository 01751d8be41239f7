import { NewThing, type Thing } from '../../schemas/resources/thing.ts';
import { ApiError } from '../../schemas/client/errors.ts';
import { isId } from '../input/usage.ts';
import { isOf, metadataOf, type ParsedEntry, problemOf, unknownMember } from './entry.ts';
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
  if ('problem' in found) return found;
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
  if (unknown !== undefined) return { problem: unknown };
  const { group_id, profile_id, ...given }: Record<string, unknown> = { ...value };
  const thing = { type: 'device', ...given };
  if (!isOf(NewThing, thing)) return { problem: problemOf(NewThing, thing) ?? 'it is wrong' };
  const parentId = profile_id ?? profileId;
  if (parentId === undefined) {
    return { problem: 'profile_id is missing, here and as an argument of the command' };
  }
  if (typeof parentId !== 'string' || !isId(parentId))
    return { problem: 'profile_id is not an id' };
  if (group_id !== undefined && (typeof group_id !== 'string' || !isId(group_id))) {
    return { problem: 'group_id is not an id' };
  }
  const { id, name, external_key: externalKey } = thing;
  return { entry: { line, parentId, groupId: group_id, name, id, externalKey, new: thing } };
}

export const things: Kind<NewThing, Thing> = {
  what: 'things',
  parent: 'profile_id',
  columns: ['id', 'name', 'type', 'key', 'external_key', 'profile_id', 'group_id', 'metadata'],
  cells,
  fromCells,
  fromObject,
  groupOf: async (client, profileId) => (await client.profiles.view(profileId)).group_id,
  create: (client, profileId, all) => client.things.create(profileId, all),
  view: (client, id) => client.things.view(id),
  parentOf: (thing) => thing.profile_id,
  findNamed: async (client, group, name) =>
    (await client.things.list({ group }, { name, limit: 200 })).things,
  async findOther(client, { external_key: key }) {
    if (key === undefined) return undefined;
    try {
      const { id } = await client.things.identify('external', key);
      return { id, member: 'external_key' };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  },
};
