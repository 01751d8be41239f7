import type { KeyVault } from '../../../infra/runtime/process/secrets.ts';
import type { HierarchyQuery, TreeGroup } from '../../../schemas/resources/tree.ts';
import { includesRole } from '../../../schemas/roles.ts';
import { keysShowFrom } from '../../access/authorize.ts';
import { userOf } from '../../access/caller.ts';
import { mustExist, present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';
import type { Database } from '../../stores/database.ts';
import { requireWriter } from './access.ts';
import { type Bounds, findTreeChildren, findTreeParents, type Relatives } from './hierarchy-sql.ts';
import {
  deleteTreeMembers,
  findTreeMembers,
  findTreeThings,
  findTreeUsers,
  insertTreeMembers,
} from './members-sql.ts';
import { tree } from './operations.ts';
import {
  absentParent,
  deleteTreeGroup,
  findTreeGroup,
  findTreeGroupsOfMember,
  findTreeName,
  insertTreeGroup,
  updateTreeGroup,
} from './sql.ts';

type TreeDependencies = { db: Database; vault: KeyVault };

export function treeRoutes(api: Api, dependencies: TreeDependencies): void {
  addGroups(api, dependencies);
  addHierarchy(api, dependencies);
  addMembers(api, dependencies);
  addMemberLists(api, dependencies);
  addThingLists(api, dependencies);
}

/** The groups themselves. */
function addGroups(api: Api, { db }: TreeDependencies): void {
  handle(api, tree.createTreeGroup, async (request, reply) => {
    const user = userOf(request);
    const parentId = request.body.parent_id?.toUpperCase() ?? null;
    if (parentId !== null) await requireWriter(db, user, parentId, absentParent);
    const id = await insertTreeGroup(db, user.id, parentId, request.body);
    return reply.status(201).header('location', `/groups/${id}`).send();
  });

  handle(api, tree.viewTreeGroup, async (request) =>
    present(await findTreeGroup(db, idOf(request.params)), 'hierarchical group'),
  );

  handle(api, tree.updateTreeGroup, async (request, reply) => {
    const id = idOf(request.params);
    await requireWriter(db, userOf(request), id);
    mustExist(await updateTreeGroup(db, id, request.body), 'hierarchical group');
    return reply.send();
  });

  handle(api, tree.deleteTreeGroup, async (request, reply) => {
    const id = idOf(request.params);
    await requireWriter(db, userOf(request), id);
    mustExist(await deleteTreeGroup(db, id), 'hierarchical group');
    return reply.status(204).send();
  });
}

/** Ancestors and descendants of a group. */
function addHierarchy(api: Api, { db }: TreeDependencies): void {
  handle(api, tree.listTreeParents, async (request) => {
    const { query } = request;
    const found = await findTreeParents(db, idOf(request.params), boundsOf(query));
    return hierarchy(query, present(found, 'hierarchical group'));
  });

  handle(api, tree.listTreeChildren, async (request) => {
    const { query } = request;
    const found = await findTreeChildren(db, idOf(request.params), boundsOf(query));
    return hierarchy(query, present(found, 'hierarchical group'));
  });
}

/** Adding members to a group and removing them. */
function addMembers(api: Api, { db }: TreeDependencies): void {
  handle(api, tree.addTreeMembers, async (request, reply) => {
    const id = idOf(request.params);
    await requireWriter(db, userOf(request), id);
    await insertTreeMembers(db, id, request.body.type, request.body.members);
    return reply.send();
  });

  handle(api, tree.removeTreeMembers, async (request, reply) => {
    const id = idOf(request.params);
    await requireWriter(db, userOf(request), id);
    await deleteTreeMembers(db, id, request.body.type, request.body.members);
    return reply.status(204).send();
  });
}

/** Lists of members, and of the groups of one. */
function addMemberLists(api: Api, { db }: TreeDependencies): void {
  handle(api, tree.listTreeMembers, async (request) => {
    const { query } = request;
    const id = idOf(request.params);
    const name = present(await findTreeName(db, id), 'hierarchical group');
    const { total, rows } = await findTreeMembers(db, id, query);
    const members = rows.map((row) => ({ ID: row.member_id, Type: row.type }));
    return {
      ...query,
      limit: query.limit ?? limits.pageLimitDefault,
      total,
      name,
      Members: members,
    };
  });

  handle(api, tree.listTreeUsers, async (request) => {
    const id = idOf(request.params);
    present(await findTreeName(db, id), 'hierarchical group');
    const { total, rows } = await findTreeUsers(db, id, userOf(request), request.query);
    const users = rows.map(({ member_id: memberId, email }) => ({
      id: memberId,
      ...(email === null ? {} : { email }),
    }));
    return { ...envelope(request.query, total), users };
  });
}

/** Members that are things, and the groups of one member. */
function addThingLists(api: Api, { db, vault }: TreeDependencies): void {
  handle(api, tree.listTreeThings, async (request) => {
    const { query } = request;
    const user = userOf(request);
    const id = idOf(request.params);
    present(await findTreeName(db, id), 'hierarchical group');
    const { total, rows } = await findTreeThings(db, id, user, query);
    const things = rows.map(({ member_id: memberId, key_sealed: sealed, ...thing }) => {
      const role = user.platformAdmin ? 'owner' : thing.role;
      if (sealed === null || role === null) return { id: memberId };
      return {
        id: memberId,
        ...(includesRole(role, keysShowFrom) ? { key: vault.open(sealed) } : {}),
        last_seen: thing.last_seen?.toISOString() ?? null,
      };
    });
    const { order = 'id', dir: direction = 'desc' } = query;
    return { ...envelope(query, total), order, direction, things };
  });

  handle(api, tree.listTreeGroupsOfMember, async (request) => {
    const { query } = request;
    const { total, rows } = await findTreeGroupsOfMember(db, request.params.id, query);
    // No level and no name: these are the member's own groups, not relatives of one.
    const { limit, offset, ...shown } = envelope(query, total);
    return {
      ...shown,
      ...(query.limit === undefined ? {} : { limit }),
      ...(query.offset === undefined ? {} : { offset }),
      level: 0,
      name: query.name ?? '',
      groups: rows,
    };
  });
}

/** ULIDs may be written in upper or lower case. */
function idOf(params: { id: string }): string {
  return params.id.toUpperCase();
}

function boundsOf({ level = 1, limit = limits.treeLimitMax, offset = 0 }: HierarchyQuery): Bounds {
  return { level, limit, offset };
}

function hierarchy(
  { level = 1, tree: isTree = false, ...page }: HierarchyQuery,
  { total, name, groups }: Relatives,
) {
  return { ...page, total, level, name, groups: isTree ? nest(groups) : groups };
}

/** Puts groups under their parents. A group without a parent among them stands at the top. */
export function nest(groups: TreeGroup[]): TreeGroup[] {
  const children = new Map<string, TreeGroup[]>(groups.map((group) => [group.id, []]));
  const nodes = groups.map((group) => ({ ...group, children: children.get(group.id) ?? [] }));
  return nodes.filter((node) => {
    const siblings = children.get(node.parent_id ?? '');
    siblings?.push(node);
    return siblings === undefined;
  });
}
