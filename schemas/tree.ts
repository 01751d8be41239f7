import { type Static, Type } from 'typebox';
import { JsonObject, JsonObjectOrNull, Timestamp, Uuid } from './common.ts';
import { filters, listQuery, pageEnvelope } from './page.ts';

/** Crockford's base 32: 26 digits, no I, L, O, U, and the first at most 7. */
export const ulidPattern = '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$';

/** A group of the older grouping: a node of a tree. */
export type TreeGroup = {
  id: string;
  name: string;
  description: string;
  /** Absent for a root. */
  parent_id?: string;
  metadata: Record<string, unknown>;
  owner_id: string;
  /** Its depth; a root's is 1. */
  level: number;
  /** The ids from the root to this one, joined by `.`. */
  path: string;
  /** In a tree only. */
  children?: TreeGroup[];
  created_at: string;
  updated_at: string;
};

/** By its `$id`, under which the server knows it: its children are of its own kind. */
export const TreeGroup = Type.Unsafe<TreeGroup>({ $ref: 'TreeGroup#' });

export const treeGroupDefinition = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    parent_id: Type.Optional(Type.String()),
    metadata: JsonObject,
    owner_id: Uuid,
    level: Type.Integer(),
    path: Type.String(),
    children: Type.Optional(Type.Array(TreeGroup)),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'TreeGroup' },
);

const Name = Type.String({ minLength: 1, maxLength: 254 });

/** Whatever a parent is called by that is none is an unknown one; `null` is a root's. */
const ParentId = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 254 });

const DescriptionOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 1024 });

export const NewTreeGroup = Type.Object({
  name: Name,
  description: Type.Optional(DescriptionOrNull),
  parent_id: Type.Optional(ParentId),
  metadata: Type.Optional(JsonObjectOrNull),
});
export type NewTreeGroup = Static<typeof NewTreeGroup>;

/** Absent stays as it is; `null` clears what can be without. A group never moves. */
export const TreeGroupChange = Type.Object({
  name: Type.Optional(Name),
  description: Type.Optional(DescriptionOrNull),
  metadata: Type.Optional(JsonObjectOrNull),
});
export type TreeGroupChange = Static<typeof TreeGroupChange>;

/** How far from the group, and whether nested. */
export const HierarchyQuery = Type.Object({
  level: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  tree: Type.Optional(Type.Boolean()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
});
export type HierarchyQuery = Static<typeof HierarchyQuery>;

const { total, offset, limit, order, dir, type, metadata } = pageEnvelope;

/** `total` counts beyond what `level` and the page show; `name` is that of the group asked about. */
export const TreeGroups = Type.Object({
  total,
  limit: Type.Optional(limit),
  offset: Type.Optional(offset),
  order,
  dir,
  metadata,
  level: Type.Integer(),
  name: Type.String(),
  groups: Type.Array(TreeGroup),
});

const MemberType = Type.Enum(['users', 'things']);
export type MemberType = Static<typeof MemberType>;

/** The id of a user, of a thing, or of something of another system's. */
export const MemberId = Type.String({ minLength: 1, maxLength: 254, pattern: '^[^\\u0000]*$' });

export const NewTreeMembers = Type.Object({
  members: Type.Array(MemberId, { minItems: 1, maxItems: 10_000 }),
  type: MemberType,
});

export const TreeMembersToRemove = Type.Object({
  members: Type.Array(MemberId, { minItems: 1, maxItems: 10_000 }),
  /** Members of that type only. */
  type: Type.Optional(MemberType),
});

export const treeMemberOrders = ['id', 'type', 'created_at'] as const;
export const TreeMembersQuery = Type.Omit(
  listQuery(treeMemberOrders, { type: Type.Optional(MemberType) }),
  ['metadata'],
);
export const TreeMembers = Type.Object({
  total,
  limit,
  offset: Type.Optional(offset),
  order,
  dir,
  type,
  name: Type.String(),
  Members: Type.Array(Type.Object({ ID: Type.String(), Type: MemberType })),
});

export const TreeMembersOfTypeQuery = Type.Omit(TreeMembersQuery, ['type']);

/** An e-mail shows to those who may see that user. */
export const TreeUsers = Type.Object({
  total,
  offset,
  limit,
  order,
  dir,
  users: Type.Array(Type.Object({ id: Type.String(), email: Type.Optional(Type.String()) })),
});

/** A key shows to the thing's editors. */
export const TreeThings = Type.Object({
  total,
  offset,
  limit,
  dir,
  order: Type.String(),
  direction: Type.String(),
  things: Type.Array(Type.Object({ id: Type.String(), key: Type.Optional(Type.String()) })),
});

export const treeGroupOrders = ['id', 'name', 'created_at', 'updated_at'] as const;
export const TreeGroupsQuery = listQuery(treeGroupOrders, { name: filters.name });
