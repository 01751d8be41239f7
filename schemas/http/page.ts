import { type TProperties, Type } from 'typebox';
import { Role } from '../roles.ts';
import { about, JsonObject } from './common.ts';

/** Where a page of a list begins and how it is sorted. `order` names a member of what is listed. */
const pageProperties = <Order extends string>(orders: readonly [Order, ...Order[]]) => ({
  limit: Type.Optional(
    about(Type.Integer({ minimum: 1, maximum: 200 }), 'Rows in a page at most. Default 10.', 10),
  ),
  offset: Type.Optional(
    about(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      'Rows left out before the page. Default 0.',
      0,
    ),
  ),
  order: Type.Optional(about(Type.Enum([...orders]), 'Member to sort by. Default `id`.')),
  dir: Type.Optional(
    about(
      Type.Enum(['asc', 'desc']),
      'Direction of the order: `asc` or `desc`. Default `desc`.',
      'desc',
    ),
  ),
});

/** Of lists that may be long: a page that continues another one, however far into the list. */
export const cursor = Type.Optional(
  about(
    Type.String({ maxLength: 8_192 }),
    '`next` of the page before: what follows it, by the same filters and in the same order. As fast at the end of a long list as at its start, which `offset` is not.',
  ),
);
export const next = Type.Optional(
  about(Type.String(), '`cursor` of the page after this one. Absent: there is none.'),
);

/** The orders of resources that have a name. */
export const namedOrders = ['id', 'name', 'created_at', 'updated_at'] as const;

/** Case-insensitive: what the text must hold. */
const Part = Type.String({ maxLength: 1_024 });

/** The filters of lists, by name. Each list takes some of them. */
export const filters = {
  name: Type.Optional(about(Part, 'Text that the name must hold, in upper or lower case.')),
  email: Type.Optional(about(Part, 'Text that the e-mail must hold, in upper or lower case.')),
  role: Type.Optional(about(Role, 'Role that the member must have.')),
} as const;

/** The query string of a list; `metadata` stands in it as JSON. */
export function listQuery<Order extends string, Filters extends TProperties>(
  orders: readonly [Order, ...Order[]],
  taken: Filters,
) {
  return Type.Object({
    ...pageProperties(orders),
    ...taken,
    metadata: Type.Optional(
      about(
        Type.String({ contentMediaType: 'application/json' }),
        'JSON object that the metadata must contain: `{"place":"hall"}`.',
      ),
    ),
  });
}

/** The body of a search: the same as a list's query, all optional; without a body, all defaults. */
export function searchBody<Order extends string, Filters extends TProperties>(
  orders: readonly [Order, ...Order[]],
  taken: Filters,
) {
  return Type.Object({
    ...pageProperties(orders),
    ...taken,
    metadata: Type.Optional(about(JsonObject, 'Object that the metadata must contain.')),
  });
}

/** A page's members beside the list itself: what was asked for, and how many there are. */
export const pageEnvelope = {
  total: about(Type.Integer(), 'Rows in all, whatever the page shows of them.', 1),
  offset: about(Type.Integer(), 'Rows left out before the page, as asked.', 0),
  limit: about(Type.Integer(), 'Rows in a page at most, as asked.', 10),
  order: Type.Optional(about(Type.String(), 'Order, as asked.')),
  dir: Type.Optional(about(Type.String(), 'Direction of the order, as asked.')),
  name: Type.Optional(about(Type.String(), 'Filter, as asked.')),
  email: Type.Optional(about(Type.String(), 'Filter, as asked.')),
  role: Type.Optional(about(Type.String(), 'Filter, as asked.')),
  state: Type.Optional(about(Type.String(), 'Filter, as asked.')),
  type: Type.Optional(about(Type.String(), 'Filter, as asked.')),
  metadata: Type.Optional(about(JsonObject, 'Filter, as asked.')),
};
