import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import { type TSchema, Type } from 'typebox';
import { Uuid } from '../../schemas/http/common.ts';
import { limits } from '../limits.ts';

/** Fastify with the types of our schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** The parameters of a path with one id. */
export const IdParams = Type.Object({ id: Uuid });

/** An answer without a body. */
export const Empty = Type.Unsafe<undefined>({ type: 'null', description: 'empty' });

/** The body of a batch create: all or nothing. */
export function batchOf<Item extends TSchema>(item: Item) {
  return Type.Array(item, { minItems: 1, maxItems: limits.batchItemsMax });
}
