import { routes, tags } from './generated/routes.ts';
import type { OperationName, Tag } from './generated/types.ts';
import { routeOf } from './request.ts';

/** Where each service of the platform answers. Millrace answers all of them at one address. */
export type ServiceUrls = {
  auth: string;
  certs: string;
  things: string;
  users: string;
  webhooks: string;
  /** The HTTP adapter: what devices send to. */
  http: string;
  reader: string;
};

export const defaultUrl = 'http://localhost:8080';

/** The services of one base URL. */
export function serviceUrls(base: string = defaultUrl): ServiceUrls {
  const url = withoutEnd(base);
  return {
    auth: url,
    certs: url,
    things: url,
    users: url,
    webhooks: `${url}/svcwebhooks`,
    http: `${url}/http`,
    reader: `${url}/reader`,
  };
}

/** Paths are appended: what ends in a slash must not give two. */
export function withoutEnd(url: string): string {
  return url.replace(/\/+$/, '');
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
  commands: 'things',
  alarms: 'things',
  annotations: 'things',
  rules: 'things',
  dashboards: 'auth',
  'hierarchical groups': 'auth',
  service: 'things',
};

export function serviceOf(name: OperationName): keyof ServiceUrls {
  const tag = tags[name];
  if (tag !== 'messages') return services[tag];
  return routes[name][1].startsWith('/http/') ? 'http' : 'reader';
}

/** The URL of an operation. The base of its service holds the first part of some paths. */
export function urlOf(
  urls: ServiceUrls,
  name: OperationName,
  ids?: Readonly<Record<string, string>>,
): string {
  const { path } = routeOf(name, ids);
  return `${urls[serviceOf(name)]}${path.replace(/^\/(?:svcauth|reader|http)(?=\/)/, '')}`;
}

/** The part of a path that a subtopic is, whose parts stand between dots or slashes. */
export function pathOf(subtopic: string): string {
  if (subtopic === '') return '';
  return subtopic
    .split(/[./]/)
    .map((part) => `/${encodeURIComponent(part)}`)
    .join('');
}
