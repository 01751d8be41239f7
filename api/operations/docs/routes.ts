import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import swagger from '@fastify/swagger';
import type { FastifySchema, RouteOptions } from 'fastify';
import packageJson from '../../../package.json' with { type: 'json' };
import { type Operation, removals, type Requirement, requirementOf } from '../../permissions.ts';
import { answerFile, protect } from '../../http/browsers.ts';
import { membersOf } from '../../../schemas/members.ts';
import type { Api } from '../../http/schemas.ts';
import { errorsOf, namedResponses, refusals, showRefusals, writtenAnswers } from './answers.ts';
import { namedSchemas, refer, sayAnyOf } from './components.ts';
import { edgePaths } from './edge.ts';
import { nameOperations } from './names.ts';
import { operationDocs } from './operations.ts';
import { tags } from './words/operation.ts';
import { requireNoDefaults, teach, whoMayDo } from './teach.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path in the documentation, of a route that shares its own with another but for a pattern. */
    documentedAs?: string;
  }
  interface FastifySchema {
    /** What it takes to do the operation, and whether it removes something: for clients that are made from this. */
    'x-needs'?: Requirement;
    'x-removes'?: true;
  }
}

const prefix = '/docs';
const documentPath = `${prefix}/json`;

const description = `
**Users** log in with \`POST /tokens\`. They send the token, or an API key, as
\`Authorization: Bearer <token>\`. **Things** send \`Authorization: Thing <key>\` or
\`Authorization: External <external key>\`, or come to the edge with a client certificate.

An id of a group is a UUID if the group belongs to an org, and a ULID if it is part of a tree (the older, hierarchical
groups). Both kinds have the same paths. Where one path means an operation of each kind, the one for trees stands
here under \`/svcauth\`.

Clients of the MainfluxLabs platform put the name of a service before a path: \`/svcthings\`, \`/svcauth\`,
\`/svcusers\`, \`/svcwebhooks\`, \`/svccerts\`. Every path answers with such a prefix and without.
`.trim();

/** Nothing from elsewhere, no script or style in the page itself; calls go to this API. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const script = 'text/javascript; charset=utf-8';

/** What the page consists of. Its addresses are relative: a proxy may have it anywhere. */
const files = [
  [prefix, 'text/html; charset=utf-8', 'index.html'],
  [`${prefix}/main.js`, script, 'main.js'],
  [`${prefix}/schemas.js`, script, 'schemas.js'],
  [`${prefix}/elements.js`, script, 'elements.js'],
  [`${prefix}/style.css`, 'text/css; charset=utf-8', 'style.css'],
] as const;

/**
 * The documentation: a page that can try calls, and OpenAPI made from the schemas that validate. Comes
 * before the routes it is to know. The document is made when it is first asked for.
 */
export function documentRoutes(api: Api): void {
  const routes: RouteOptions[] = [];
  let names: ReadonlyMap<RouteOptions, string> | undefined;
  api.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD' && isDocumented(route)) routes.push(route);
  });

  api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Millrace', version: packageJson.version, description },
      servers: [{ url: '/' }],
      tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
      paths: structuredClone(edgePaths),
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'A token of POST /tokens, or an API key',
          },
          thing: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: '`Thing <key>` or `External <external key>`',
          },
        },
        schemas: structuredClone(namedSchemas),
        responses: { ...namedResponses },
      },
    },
    convertConstToEnum: false,
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => idOf(json) ?? `def-${i}` },
    transform({ schema, url, route }) {
      names ??= nameOperations(routes);
      return describe(schema, url, route, names.get(route) ?? '');
    },
    transformObject(given) {
      if (!('openapiObject' in given)) return given.swaggerObject;
      const document = given.openapiObject;
      sayAnyOf(document.paths);
      requireNoDefaults(document);
      teach(document);
      const { schemas = {}, responses = {} } = document.components ?? {};
      refer([document.paths, ...Object.values(schemas)], 'schemas', schemas);
      refer([document.paths], 'responses', responses);
      showRefusals(responses);
      return document;
    },
  });
  api.register(async (pages) => {
    protect(pages, contentSecurityPolicy);
    const config = { operation: 'viewDocs' } as const;
    for (const [url, type, name] of files) {
      const content = readFileSync(join(import.meta.dirname, 'page', name), 'utf8');
      pages.route({
        method: 'GET',
        url,
        config,
        handler: async (request, reply) => answerFile(request, reply, type, content),
      });
    }
    pages.route({
      method: 'GET',
      url: `${prefix}/`,
      config,
      handler: async (_request, reply) => reply.redirect('../docs', 308),
    });
    let text: string | undefined;
    pages.route({
      method: 'GET',
      url: documentPath,
      config,
      handler: async (request, reply) => {
        text ??= JSON.stringify(api.swagger());
        return answerFile(request, reply, 'application/json; charset=utf-8', text);
      },
    });
  });
}

/** What the edge answers, which is described by hand, and pages, which are for browsers. */
const undocumented = new Set<Operation | undefined>([
  'passToEdge',
  'viewHome',
  'viewBench',
  'enterConsole',
  'viewSession',
  'useQueues',
]);

/** All but those, and what the page itself consists of. */
function isDocumented({ config, url }: RouteOptions): boolean {
  if (config?.operation === 'viewDocs') return url === documentPath;
  return !undocumented.has(config?.operation);
}

/** A route as the document describes it. */
function describe(
  schema: FastifySchema | undefined,
  url: string,
  route: RouteOptions,
  operationId: string,
): { schema: FastifySchema; url: string } {
  const { config } = route;
  if (config === undefined || !isDocumented(route)) return { schema: { hide: true }, url };
  const { params, querystring, body, response } = schema ?? {};
  const { operation, documentedAs = url } = config;
  const docs = operationDocs[operation];
  const requirement = requirementOf(operation);
  const taken = {
    ...(hasMembers(params) ? { params } : {}),
    ...(querystring === undefined ? {} : { querystring }),
    ...(body === undefined ? {} : { body }),
  };
  return {
    url: documentedAs,
    schema: {
      ...taken,
      operationId,
      tags: [docs.tag],
      summary: docs.summary,
      description: [docs.about, whoMayDo(requirement)].filter(Boolean).join(' '),
      security: security[requirement.who],
      'x-needs': requirement,
      ...(removals.has(operation) ? { 'x-removes': true } : {}),
      response: {
        ...refusals(errorsOf(requirement, { method: String(route.method), ...taken }, docs)),
        ...answersOf(writtenAnswers[operationId] ?? response, docs.location),
      },
    },
  };
}

const bearer = [{ bearer: [] }];
const security: Readonly<Record<Requirement['who'], FastifySchema['security'] & {}>> = {
  anyone: [],
  user: bearer,
  loggedIn: bearer,
  platformAdmin: bearer,
  member: bearer,
  thing: [{ thing: [] }],
  userOrThing: [...bearer, { thing: [] }],
};

/** Adds what a schema does not say: what its status means, and where what was made is. */
function answersOf(response: unknown, location: string | undefined): Record<string, object> {
  return Object.fromEntries(
    Object.entries(membersOf(response)).map(([status, schema]) => {
      const answer = membersOf(schema);
      const about = STATUS_CODES[status] ?? '';
      const headers = { Location: { type: 'string', description: `The path of ${location}` } };
      return [
        status,
        {
          ...answer,
          // A reference stands alone, but for this.
          ...('$ref' in answer ? { description: about } : { 'x-response-description': about }),
          ...(location !== undefined && status === '201' ? { headers } : {}),
        },
      ];
    }),
  );
}

function hasMembers(params: unknown): boolean {
  return Object.keys(membersOf(membersOf(params)['properties'])).length > 0;
}

function idOf(schema: Record<string, unknown>): string | undefined {
  const { $id: id } = schema;
  return typeof id === 'string' ? id : undefined;
}
