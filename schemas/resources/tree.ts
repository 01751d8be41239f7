import { type Static, Type } from 'typebox';
import { about, Uuid } from '../http/common.ts';
import { filters, listQuery, namedOrders, pageEnvelope } from '../http/page.ts';
import { LastSeen } from './thing.ts';
import { CreatedAt, Metadata, MetadataChange, NewMetadata, UpdatedAt } from '../http/fields.ts';

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

/** A reference by `$id`, under which the server knows it: its children are of its own kind. */
export const TreeGroup = Type.Unsafe<TreeGroup>({ $ref: 'TreeGroup#' });

export const treeGroupDefinition = Type.Object(
  {
    id: about(Type.String(), 'Id of the group: a ULID.', '01KAKQ4Z9V6T8X2B3C4D5E6F7G'),
    name: about(Type.String(), 'Name of the group: no other under its parent has it.', 'Hall 1'),
    description: about(Type.String(), 'Description. Empty where none was given.', 'Ground floor'),
    parent_id: Type.Optional(
      about(Type.String(), 'Id of the group over it. Absent: it is a root.'),
    ),
    metadata: Metadata,
    owner_id: about(Uuid, 'Id of the user who made it.', '0b0a4f0e-6b1a-4c56-9a3e-2f6f1c1f7a10'),
    level: about(Type.Integer(), 'Depth in its tree; that of a root is 1.', 1),
    path: about(
      Type.String(),
      'Ids from the root to this group, joined by dots.',
      '01KAKQ4Z9V6T8X2B3C4D5E6F7G',
    ),
    children: Type.Optional(about(Type.Array(TreeGroup), 'Groups under it, in a tree only.')),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { $id: 'TreeGroup' },
);

const Name = Type.String({ minLength: 1, maxLength: 254 });

/** Any text: one that is no id of a group is the id of an unknown parent. A root has `null`. */
const ParentId = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 254 });

const DescriptionOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 1024 });

export const NewTreeGroup = Type.Object({
  name: about(Name, 'Name: 1 to 254 characters. No other under its parent may have it.', 'Hall 1'),
  description: Type.Optional(
    about(
      DescriptionOrNull,
      'Description: at most 1,024 characters. Default empty.',
      'Ground floor',
    ),
  ),
  parent_id: Type.Optional(
    about(ParentId, 'Id of the group to put it under. Default: it is a root.'),
  ),
  metadata: NewMetadata,
});
export type NewTreeGroup = Static<typeof NewTreeGroup>;

/** Absent stays as it is; `null` clears what can be without. A group never moves. */
export const TreeGroupChange = Type.Object({
  name: Type.Optional(about(Name, 'New name. Absent: it stays.', 'Hall 1')),
  description: Type.Optional(
    about(
      DescriptionOrNull,
      'New description. Absent: it stays; `null`: it becomes empty.',
      'Ground floor',
    ),
  ),
  metadata: MetadataChange,
});
export type TreeGroupChange = Static<typeof TreeGroupChange>;

/** How far from the group, and whether nested. */
export const HierarchyQuery = Type.Object({
  level: Type.Optional(
    about(
      Type.Integer({ minimum: 1, maximum: 5 }),
      'How far from the group, at most: 1 to 5. Default 1.',
    ),
  ),
  tree: Type.Optional(
    about(
      Type.Boolean(),
      '`true`: groups stand nested under `children`. Default `false`: in a list.',
    ),
  ),
  limit: Type.Optional(
    about(Type.Integer({ minimum: 1, maximum: 1_000 }), 'Groups in a page at most. Default 10.'),
  ),
  offset: Type.Optional(
    about(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      'Groups left out before the page. Default 0.',
    ),
  ),
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
  level: about(Type.Integer(), 'How far from the group, as asked.', 1),
  name: about(Type.String(), 'Name of the group that was asked about.', 'Hall 1'),
  groups: about(Type.Array(TreeGroup), 'Groups: a list, or with `tree` a tree.'),
});

const MemberType = Type.Enum(['users', 'things']);
export type MemberType = Static<typeof MemberType>;

/** The id of a user, of a thing, or of something of another system's. */
export const MemberId = Type.String({ minLength: 1, maxLength: 254, pattern: '^[^\\u0000]*$' });

export const NewTreeMembers = Type.Object({
  members: about(
    Type.Array(MemberId, { minItems: 1, maxItems: 10_000 }),
    'Ids of the members: of users, of things, or of another system.',
    ['e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'],
  ),
  type: about(MemberType, 'What the members are.', 'things'),
});

/** Another member would be taken for a filter, so nothing else may stand here. */
export const TreeMembersToRemove = Type.Object(
  {
    members: about(
      Type.Array(MemberId, { minItems: 1, maxItems: 10_000 }),
      'Ids of the members to remove.',
      ['e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'],
    ),
    type: Type.Optional(about(MemberType, 'Members of this type only. Default: of both.')),
  },
  { additionalProperties: false },
);

export const treeMemberOrders = ['id', 'type', 'created_at'] as const;
export const TreeMembersQuery = Type.Omit(
  listQuery(treeMemberOrders, {
    type: Type.Optional(about(MemberType, 'Members of this type only. Default: of both.')),
  }),
  ['metadata'],
);
export const TreeMembers = Type.Object({
  total,
  limit,
  offset: Type.Optional(offset),
  order,
  dir,
  type,
  name: about(Type.String(), 'Name of the group.', 'Hall 1'),
  Members: about(
    Type.Array(
      Type.Object({
        ID: about(Type.String(), 'Id of the member.', 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'),
        Type: about(MemberType, 'What the member is.', 'things'),
      }),
    ),
    'Members of the page.',
  ),
});

export const TreeMembersOfTypeQuery = Type.Omit(TreeMembersQuery, ['type']);

/** The e-mail is there if the caller may see that user. */
export const TreeUsers = Type.Object({
  total,
  offset,
  limit,
  order,
  dir,
  users: about(
    Type.Array(
      Type.Object({
        id: about(Type.String(), 'Id of the user.', '0b0a4f0e-6b1a-4c56-9a3e-2f6f1c1f7a10'),
        email: Type.Optional(
          about(
            Type.String(),
            'E-mail of the user, for those who may see them.',
            'ada@example.com',
          ),
        ),
      }),
    ),
    'Members of the page that are users.',
  ),
});

/** A key shows to the thing's editors, when it was heard last to its viewers. */
export const TreeThings = Type.Object({
  total,
  offset,
  limit,
  dir,
  order: about(Type.String(), 'Order, as asked.', 'id'),
  direction: about(Type.String(), 'Direction of the order, as asked.', 'desc'),
  things: about(
    Type.Array(
      Type.Object({
        id: about(Type.String(), 'Id of the thing.', 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'),
        key: Type.Optional(about(Type.String(), 'Key of the thing, for its editors.')),
        last_seen: Type.Optional(
          about(
            LastSeen,
            'When its last message came, for its viewers: ISO 8601, UTC, right within five seconds. `null`: none ever did.',
            '2026-11-21T10:00:00.000Z',
          ),
        ),
      }),
    ),
    'Members of the page that are things.',
  ),
});

export const TreeGroupsQuery = listQuery(namedOrders, { name: filters.name });
