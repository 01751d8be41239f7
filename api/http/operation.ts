import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { AuditKind } from '../../schemas/resources/audit.ts';
import { DomainError, type ErrorCode } from '../../schemas/http/errors.ts';
import type { Requirement } from './requirement.ts';

/** The sections of the documentation, in the order they stand there. */
export const tags = {
  users: 'Users, their tokens and passwords',
  keys: 'API keys of users',
  sessions: 'Browsers that users are signed in with',
  orgs: 'Organizations and their members',
  invites: 'Invitations to an organization, and to the platform',
  groups: 'Groups of an organization, and their members',
  profiles: 'What is done with the messages of things',
  things: 'Devices, and the keys they come with',
  certificates: 'Certificates by which things are known, and what was revoked of them',
  webhooks: 'Where the messages of things are forwarded to, and what became of it',
  commands: 'What things are told to do, and what became of it',
  alarms: 'Alarms of things, who saw to them, and when nobody is told',
  rules: 'When alarms are raised, and who hears of them',
  dashboards: 'What is shown together of what things send, its versions, and links to it',
  annotations: 'What people know of a time, beside what things sent',
  messages: 'Messages sent by things, and read back',
  'hierarchical groups': 'The older grouping: trees of groups, whose members are any ids',
  service: 'How the service is, and what it offers',
} as const;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * All that is known of an operation but its handler. Permission, document, audit log, the types of clients and the
 * requests of the access matrix are read from it. Plain data: nothing here may touch a database.
 */
export type Operation = {
  name: string;
  method: Method;
  path: string;
  /** `false`: a HEAD would do all of the work, and send none of it. */
  head?: false;
  /** The path in the document, of one that shares its own with another but for a pattern. */
  documentedAs?: string;
  /** The requirement. It is checked before a byte of the body is read. */
  needs: Requirement;
  /** Of the path. Not told: `:id` is a UUID. */
  params?: TSchema;
  query?: TSchema;
  body?: TSchema | { content: Readonly<Record<string, { schema: object }>> };
  /** Of the body, where it may have more or less than others. */
  bodyBytesMax?: number;
  answers?: Readonly<Record<number, TSchema>>;
  /** For the document: answers that the handler writes by itself, past the schemas. */
  written?: Readonly<Record<number, object>>;

  tag: keyof typeof tags;
  summary: string;
  /** Facts beyond the schemas, in whole sentences. */
  about?: string;
  /** Refusals beside those that follow from its credential, its parameters and its body. */
  errors?: readonly ErrorCode[];
  /** What `Location` of the 201 names. */
  location?: string;

  /** It changes nothing, as no GET does, and is no GET. */
  reads?: true;
  /** Clients of InfluxDB call it: it takes a user's credential as they send it, too. */
  ofInflux?: true;
  /** It changes something, and entries of this kind in the audit log tell of it. */
  audit?: AuditKind;
  /** It changes nothing, and may have an entry all the same: what is read in bulk, and logins that fail. */
  auditAlso?: AuditKind;
  /**
   * It takes something away. Such a request must be understood whole: what is not known in it may be meant to make it
   * narrower than it is.
   */
  removes?: true;

  /** It is not in the document: a page for browsers, or what is described by hand. */
  undocumented?: true;
  /** It reads its query and its path by itself: what is passed on, and pages with their scripts and styles. */
  readsByItself?: true;
  /** Its body may take as long as it goes on arriving, and is never held in memory: its handler sees to both. */
  anyLength?: true;
  /** The edge answers it. */
  passedOn?: true;
  /** Who watches the service asks all the time: the answer takes nothing of a budget, and its line is for debugging. */
  watches?: true;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Undefined where there is no route. */
    operation: Operation | undefined;
  }
}

type Described = Readonly<Record<string, Omit<Operation, 'name' | 'tag'>>>;

/** Operations of one section of the documentation, by their names; `suffix` stands after each name. */
export function operations<const Group extends Described>(
  tag: Operation['tag'],
  group: Group,
  suffix?: string,
): { readonly [Key in keyof Group]: Group[Key] & Pick<Operation, 'name' | 'tag'> };
export function operations(tag: Operation['tag'], group: Described, suffix = '') {
  return Object.fromEntries(
    Object.entries(group).map(([name, one]) => [name, { name: `${name}${suffix}`, tag, ...one }]),
  );
}

/** Whether it changes nothing, whatever its request is. */
export function readsOnly({ method, reads, audit }: Operation): boolean {
  return audit === undefined && (method === 'GET' || reads === true);
}

/** @throws DomainError `not_found` for a request that no route takes. */
export function operationOf({ routeOptions }: FastifyRequest): Operation {
  const { operation } = routeOptions.config;
  if (operation === undefined) throw new DomainError('not_found', 'path');
  return operation;
}
