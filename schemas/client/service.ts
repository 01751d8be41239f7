import { members, places, tags } from './generated/places.ts';
import type { Answers, OperationName, Requests, Tag } from './generated/types.ts';
import type { Shape } from './shape.ts';
import type { Answer, Ask, Credential, QueryValue, Transport } from './transport.ts';
import { path as pathOf, type ServiceUrls } from './urls.ts';

/** What every resource of the client is made of. */
export type Service = {
  transport: Transport;
  urls: ServiceUrls;
  /** Who asks, unless a method says otherwise. */
  as: Credential | undefined;
};

/** What an operation is asked with beyond what the API says of it. */
export type Options = Partial<Omit<Ask, 'method' | 'url' | 'query' | 'json'>>;

/** The request of an operation. `body` is sent as JSON unless `options` have one, which is sent as it is. */
export function ask<Name extends OperationName>(
  service: Service,
  name: Name,
  request: Requests[Name],
  options?: Options,
): Ask;
export function ask<Name extends OperationName>(
  service: Service,
  name: Name,
  request: Omit<Requests[Name], 'body'>,
  options: Options & { body: NonNullable<Ask['body']> },
): Ask;
export function ask(
  { urls, as }: Service,
  name: OperationName,
  request: Given,
  options: Options = {},
): Ask {
  const [method, path] = places[name];
  const { path: ids = {}, query = {}, body } = request;
  return {
    method,
    url: `${baseOf(urls, tags[name], path)}${filled(path, ids)}`,
    as,
    query: { ...query },
    reads: method === 'GET',
    ...(body === undefined ? {} : { json: body }),
    ...options,
  };
}

/** The JSON that an operation answers. */
export function call<Name extends OperationName>(
  service: Service,
  name: Name,
  request: Requests[Name],
  options?: Options,
): Promise<Answers[Name] & object> {
  return service.transport.json(ask(service, name, request, options), shapeOf(name));
}

/** An operation that answers nothing but that it is done. */
export async function done<Name extends OperationName>(
  service: Service,
  name: Name,
  request: Requests[Name],
  options?: Options,
): Promise<void> {
  await service.transport.done(ask(service, name, request, options));
}

/** The id of what an operation made, which its `Location` has. */
export function created<Name extends OperationName>(
  service: Service,
  name: Name,
  request: Requests[Name],
): Promise<string> {
  return service.transport.created(ask(service, name, request));
}

/** An answer whose body is still to come. */
export function open<Name extends OperationName>(
  service: Service,
  name: Name,
  request: Requests[Name],
  options?: Options,
): Promise<Answer> {
  return service.transport.open(ask(service, name, request, options));
}

/** What requests have, of all operations. */
type Given = {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, QueryValue>>;
  body?: unknown;
};

/** What tells an answer from another server's. Beyond that its types are the word of the server, by its own schema. */
function shapeOf<Name extends OperationName>(name: Name): Shape<Answers[Name] & object> {
  const has = members[name];
  return {
    members: has === undefined ? [] : [has],
    fits: (value): value is Answers[Name] & object =>
      typeof value === 'object' && value !== null && (has === undefined || has in value),
  };
}

/** Which of the platform's services has the operations of a section. */
const services: Readonly<Record<Exclude<Tag, 'messages'>, keyof ServiceUrls>> = {
  users: 'users',
  keys: 'auth',
  sessions: 'auth',
  orgs: 'auth',
  invites: 'auth',
  groups: 'things',
  profiles: 'things',
  things: 'things',
  certificates: 'certs',
  webhooks: 'webhooks',
  'hierarchical groups': 'auth',
  service: 'things',
};

function baseOf(urls: ServiceUrls, tag: Tag, path: string): string {
  if (tag !== 'messages') return urls[services[tag]];
  return path.startsWith('/http/') ? urls.http : urls.reader;
}

/** The path of an operation after its service's base, which holds what stands before it here. */
function filled(path: string, ids: Readonly<Record<string, string>>): string {
  return path
    .replace(/^\/(?:svcauth|reader|http)(?=\/)/, '')
    .replaceAll(/\/\{(\w+)\}/g, (_whole, name: string) => pathOf(ids[name] ?? ''));
}
