import { type TProperties, Type } from 'typebox';
import { JsonObject } from './common.ts';

/** Where a page of a list begins and how it is sorted. `order` names a member of what is listed. */
const pageProperties = <Order extends string>(orders: readonly [Order, ...Order[]]) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  order: Type.Optional(Type.Enum([...orders])),
  dir: Type.Optional(Type.Enum(['asc', 'desc'])),
});

/** Case-insensitive: what the text must hold. */
const Part = Type.String({ maxLength: 1_024 });

/** The filters of lists, by name. Each list takes some of them. */
export const filters = {
  name: Type.Optional(Part),
  email: Type.Optional(Part),
  role: Type.Optional(Type.Enum(['owner', 'admin', 'editor', 'viewer'])),
  state: Type.Optional(Type.Enum(['pending', 'accepted', 'declined', 'revoked', 'expired'])),
  type: Type.Optional(Type.Enum(['device', 'sensor', 'actuator', 'controller', 'gateway'])),
} as const;

/** The query string of a list; `metadata` stands in it as JSON. */
export function listQuery<Order extends string, Filters extends TProperties>(
  orders: readonly [Order, ...Order[]],
  taken: Filters,
) {
  return Type.Object({
    ...pageProperties(orders),
    ...taken,
    metadata: Type.Optional(Type.String({ contentMediaType: 'application/json' })),
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
    metadata: Type.Optional(JsonObject),
  });
}

/** A page's members beside the list itself: what was asked for, and how many there are. */
export const pageEnvelope = {
  total: Type.Integer(),
  offset: Type.Integer(),
  limit: Type.Integer(),
  order: Type.Optional(Type.String()),
  dir: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  role: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  metadata: Type.Optional(JsonObject),
};
