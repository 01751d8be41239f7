import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import swagger from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Scheme } from '../../../schemas/http/challenges.ts';
import { membersOf } from '../../../schemas/members.ts';
import { answerFile, protect } from '../../http/browsers.ts';
import { handle, pathParams } from '../../http/handle.ts';
import { type Operation, readsOnly, tags } from '../../http/operation.ts';
import { type Requirement, schemesOf } from '../../http/requirement.ts';
import type { Api } from '../../http/schemas.ts';
import { service } from '../operations.ts';
import { errorsOf, namedResponses, refusals, showRefusals } from './answers.ts';
import { namedSchemas, refer, sayAnyOf } from './components.ts';
import { edgePaths } from './edge.ts';
import { requireNoDefaults, teach, whoMayDo } from './teach.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** The requirement, and whether the operation removes something: for clients that are made from this. */
    'x-needs'?: Requirement;
    'x-removes'?: true;
  }
}

const prefix = '/docs';

const description = `
**Users** log in with \`POST /tokens\`. They send the token, or an API key, as
\`Authorization: Bearer <token>\`. What only reads takes either as the password of Basic too, with any user name. **Things** send \`Authorization: Thing <key>\` or
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
  "font-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const script = 'text/javascript; charset=utf-8';

/** The files of the page. Its addresses are relative: a proxy may have it anywhere. */
const files = [
  [prefix, 'text/html; charset=utf-8', 'index.html'],
  [`${prefix}/main.js`, script, 'main.js'],
  [`${prefix}/samples.js`, script, 'samples.js'],
  [`${prefix}/schemas.js`, script, 'schemas.js'],
  [`${prefix}/elements.js`, script, 'elements.js'],
  [`${prefix}/style.css`, 'text/css; charset=utf-8', 'style.css'],
] as const;

/**
 * The documentation: a page that can try calls, and OpenAPI made from the schemas that validate. Comes
 * before the routes it is to know. The document is made when it is first asked for.
 */
export function documentRoutes(api: Api): void {
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
          basic: {
            type: 'http',
            scheme: 'basic',
            description: 'Any user name, and an API key or a token as its password',
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
    transform: ({ url, route }) => describe(route.config?.operation, url),
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
    const file = { ...service.viewDocs, undocumented: true } as const;
    for (const [path, type, name] of files) {
      const content = readFileSync(join(import.meta.dirname, 'page', name), 'utf8');
      handle(pages, { ...file, path }, async (request, reply) =>
        answerFile(request, reply, type, content),
      );
    }
    handle(pages, { ...file, path: `${prefix}/` }, async (_request, reply) =>
      reply.redirect('../docs', 308),
    );
    let text: string | undefined;
    handle(pages, service.viewDocs, async (request, reply) => {
      text ??= JSON.stringify(api.swagger());
      return answerFile(request, reply, 'application/json; charset=utf-8', text);
    });
  });
}

/** A route as the document describes it. */
function describe(
  operation: Operation | undefined,
  url: string,
): { schema: FastifySchema; url: string } {
  if (operation === undefined || operation.undocumented) return { schema: { hide: true }, url };
  const { path, params = pathParams(path), query, body, answers, written } = operation;
  const { needs, removes, tag, summary, about, location, documentedAs = path } = operation;
  return {
    url: documentedAs,
    schema: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { querystring: query }),
      ...(body === undefined ? {} : { body }),
      operationId: operation.name,
      tags: [tag],
      summary,
      description: [about, whoMayDo(needs)].filter(Boolean).join(' '),
      security: securityOf(operation),
      'x-needs': needs,
      ...(removes ? { 'x-removes': true } : {}),
      response: {
        ...refusals(errorsOf(operation)),
        ...answersOf(written ?? answers, location),
      },
    },
  };
}

const securitySchemes: Readonly<Record<Scheme, 'bearer' | 'basic' | 'thing'>> = {
  Bearer: 'bearer',
  Basic: 'basic',
  Thing: 'thing',
  External: 'thing',
};

function securityOf(operation: Operation): FastifySchema['security'] & {} {
  if (operation.needs.kind === 'anyone') return [];
  const schemes = schemesOf(operation.needs, readsOnly(operation));
  return [...new Set(schemes.map((scheme) => securitySchemes[scheme]))].map((name) => ({
    [name]: [],
  }));
}

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

function idOf(schema: Record<string, unknown>): string | undefined {
  const { $id: id } = schema;
  return typeof id === 'string' ? id : undefined;
}
