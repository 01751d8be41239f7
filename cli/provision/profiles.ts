import { NewProfile, type Profile } from '../../schemas/resources/profile.ts';
import { isId } from '../input/usage.ts';
import { isOf, metadataOf, type ParsedEntry, problemOf, unknownMember, wrong } from './entry.ts';
import type { Kind } from './kind.ts';

const members = ['name', 'id', 'group_id', 'config', 'metadata'];

const cells = [
  'id',
  'name',
  'group_id',
  'content_type',
  'write',
  'data_filters',
  'data_field',
  'time_field',
  'time_format',
  'time_location',
] as const;

/** `data_filters` stand between commas. After the columns that have names come metadata keys and values by turns. */
function fromCells(
  line: number,
  all: readonly string[],
  groupId: string | undefined,
): ParsedEntry<NewProfile> {
  const [id = '', name = '', ownGroupId = '', contentType = '', write = '', ...more] = all;
  const [filters = '', dataField = '', timeField = '', timeFormat = '', timeLocation = ''] = more;
  if (!['', 'true', 'false'].includes(write)) {
    return wrong(`config write is "${write}": it must be true, false or empty`);
  }
  const found = metadataOf(all.slice(cells.length));
  if (found.kind === 'wrong') return found;
  const transformer = {
    ...(filters === '' ? {} : { data_filters: filters.split(',').map((filter) => filter.trim()) }),
    ...(dataField === '' ? {} : { data_field: dataField }),
    ...(timeField === '' ? {} : { time_field: timeField }),
    ...(timeFormat === '' ? {} : { time_format: timeFormat }),
    ...(timeLocation === '' ? {} : { time_location: timeLocation }),
  };
  const config = {
    ...(contentType === '' ? {} : { content_type: contentType }),
    ...(write === '' ? {} : { write: write === 'true' }),
    ...(Object.keys(transformer).length === 0 ? {} : { transformer }),
  };
  const value = {
    ...(id === '' ? {} : { id }),
    ...(name === '' ? {} : { name }),
    ...(ownGroupId === '' ? {} : { group_id: ownGroupId }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(Object.keys(found.metadata).length === 0 ? {} : { metadata: found.metadata }),
  };
  return fromObject(line, value, groupId);
}

function fromObject(
  line: number,
  value: object,
  groupId: string | undefined,
): ParsedEntry<NewProfile> {
  const unknown = unknownMember(value, members);
  if (unknown !== undefined) return wrong(unknown);
  const { group_id, ...profile }: Record<string, unknown> = { ...value };
  if (!isOf(NewProfile, profile)) return wrong(problemOf(NewProfile, profile) ?? 'it is wrong');
  const parentId = group_id ?? groupId;
  if (parentId === undefined) {
    return wrong('group_id is missing, here and as an argument of the command');
  }
  if (typeof parentId !== 'string' || !isId(parentId)) return wrong('group_id is not an id');
  const { id, name } = profile;
  const nothingMore = { groupId: undefined, externalKey: undefined };
  return { kind: 'entry', entry: { line, parentId, name, id, ...nothingMore, new: profile } };
}

export const profiles: Kind<NewProfile, Profile> = {
  what: 'profiles',
  one: 'profile',
  parent: 'group_id',
  columns: ['id', 'name', 'group_id', 'config', 'metadata'],
  cells,
  fromCells,
  fromObject,
  groupOf: async (client, id) => (await client.call('viewGroup', { path: { id } })).id,
  create: async (client, id, body) =>
    (await client.call('createProfiles', { path: { id }, body })).profiles,
  view: (client, id) => client.call('viewProfile', { path: { id } }),
  parentOf: (profile) => profile.group_id,
  async findNamed(client, id, name) {
    const request = { path: { id }, query: { name, limit: 200 } };
    return (await client.call('listGroupProfiles', request)).profiles;
  },
  findOther: async () => undefined,
};
