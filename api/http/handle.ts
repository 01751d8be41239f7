import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyContextConfig,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteShorthandOptions,
} from 'fastify';
import type { TSchema } from 'typebox';
import type { Operation } from './operation.ts';
import { type Api, IdParams } from './schemas.ts';

/** The schema of an operation's path that has none of its own. */
export function pathParams(path: string): typeof IdParams | undefined {
  return /:id(?=\/|$)/.test(path) ? IdParams : undefined;
}

/** Its schemas, as Fastify takes them. */
type SchemaOf<Of extends Operation> = {
  params: Of extends { params: infer Given extends TSchema }
    ? Given
    : Of['path'] extends `${string}:id${string}`
      ? typeof IdParams
      : undefined;
  querystring: Of extends { query: infer Given extends TSchema } ? Given : undefined;
  body: Of extends { body: infer Given extends TSchema } ? Given : undefined;
  response: Of extends { answers: infer Given } ? Given : undefined;
};

function schemaOf<Of extends Operation>(operation: Of): SchemaOf<Of>;
function schemaOf({
  path,
  params = pathParams(path),
  query,
  body,
  answers,
}: Operation): FastifySchema {
  return {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
    ...(answers === undefined ? {} : { response: answers }),
  };
}

type Handler<Of extends Operation> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  RouteGenericInterface,
  FastifyContextConfig,
  SchemaOf<Of>,
  TypeBoxTypeProvider
>;

/** Options that only a route has. */
type RouteOptions = Pick<RouteShorthandOptions, 'preValidation' | 'validatorCompiler'>;

/** Adds the route of an operation. Its handler is typed by the operation's schemas. */
export function handle<const Of extends Operation>(
  api: Api,
  operation: Of,
  handler: Handler<Of>,
  options: RouteOptions = {},
): void {
  const { method, path, head, bodyBytesMax } = operation;
  api.route<RouteGenericInterface, FastifyContextConfig, SchemaOf<Of>>({
    ...options,
    ...(head === undefined ? {} : { exposeHeadRoute: head }),
    ...(bodyBytesMax === undefined ? {} : { bodyLimit: bodyBytesMax }),
    method,
    url: path,
    schema: schemaOf(operation),
    config: { operation },
    handler,
  });
}
