import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientRoutes, clientTypes } from '../../api/operations/docs/client-types.ts';
import { readsOnly } from '../../api/http/operation.ts';
import { operations as declared } from '../../api/server/resources.ts';
import { uuidPattern, uuidV4Pattern } from '../../schemas/http/common.ts';
import { reservedHeaders } from '../../schemas/resources/webhook.ts';
import { type Built, buildApi } from '../support/api/build.ts';
import { call, json } from '../support/api/http.ts';

let built: Built;
let document: unknown;

/** A route of the server, and under what the document has it. */
type Route = { method: string; path: string; operation: string };
const routes: Route[] = [];

beforeAll(async () => {
  document = json(await call('GET', '/docs/json'));
  built = buildApi();
  built.server.addHook('onRoute', ({ method, url, config }) => {
    const path = (config?.operation?.documentedAs ?? url).replaceAll(/:(\w+)/g, '{$1}');
    for (const one of [method].flat()) {
      routes.push({ method: one.toLowerCase(), path, operation: String(config?.operation?.name) });
    }
  });
  await built.server.ready();
});

afterAll(() => built.close());

/** What is in an object of the document, by name. */
function members(value: unknown): [string, unknown][] {
  return Object.entries(Object(value));
}

function member(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((inner, name) => Object(inner)[name], value);
}

/** Every operation of the document. */
function operations(): { method: string; path: string; at: string; operation: unknown }[] {
  return members(member(document, 'paths')).flatMap(([path, item]) =>
    members(item).map(([method, operation]) => ({
      method,
      path,
      at: `${method} ${path}`,
      operation,
    })),
  );
}

/** Every object of the document. */
function objects(root: unknown): object[] {
  if (typeof root !== 'object' || root === null) return [];
  return [root, ...Object.values(root).flatMap(objects)];
}

/** Members of schemas that say nothing of themselves, and lead to nothing that does. */
function silentMembers(root: unknown, at: string): string[] {
  if (typeof root !== 'object' || root === null) return [];
  return Object.entries(root).flatMap(([name, inner]) => {
    const here = `${at}/${name}`;
    if (name === 'example' || name === 'examples') return [];
    const own = at.endsWith('/properties') ? meaningOf(inner) : '';
    return [...(own === undefined ? [here] : []), ...silentMembers(inner, here)];
  });
}

function meaningOf(schema_: unknown): unknown {
  const reference = member(schema_, '$ref');
  const own = member(schema_, 'description');
  if (own !== undefined || typeof reference !== 'string') return own;
  return meaningOf(member(document, ...reference.split('/').slice(1)));
}

/** With the formats that the document has, and itself: what is in it is named by where it stands. */
function documentAjv(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  ajv.addFormat('uuid', new RegExp(uuidPattern));
  ajv.addFormat('uuid-v4', new RegExp(uuidV4Pattern));
  ajv.addFormat('date-time', (text) => !Number.isNaN(Date.parse(text)));
  ajv.addFormat('binary', true);
  ajv.addSchema({ ...Object(document), $id: 'document' });
  return ajv;
}

const schema = { $ref: 'https://json-schema.org/draft/2020-12/schema' };
const string = { type: 'string' };
const strict = (properties: object, ...required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const mapOf = (additionalProperties: object) => ({ type: 'object', additionalProperties });
const listOf = (items: object) => ({ type: 'array', items });
const orReference = (definition: object) => ({
  if: { type: 'object', required: ['$ref'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: strict({ $ref: { type: 'string', pattern: '^#/components/' } }, '$ref'),
  else: definition,
});
const content = mapOf(strict({ schema, example: {} }, 'schema'));
const response = strict(
  {
    description: { type: 'string', minLength: 1 },
    headers: mapOf(strict({ schema, description: string }, 'schema')),
    content,
  },
  'description',
);
const parameter = {
  ...strict(
    {
      name: string,
      in: { enum: ['path', 'query'] },
      required: { type: 'boolean' },
      description: string,
      example: {},
      schema,
    },
    'name',
    'in',
    'schema',
  ),
  if: { properties: { in: { const: 'path' } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { required: { const: true } }, required: ['required'] },
};
const operation = strict(
  {
    operationId: { type: 'string', pattern: '^\\w+$' },
    summary: string,
    description: string,
    tags: { ...listOf(string), minItems: 1 },
    'x-needs': strict({ kind: string, role: string, of: string }, 'kind'),
    'x-removes': { const: true },
    'x-command': { type: 'string', pattern: '^npx millrace ' },
    security: listOf(mapOf({ ...listOf(string), maxItems: 0 })),
    parameters: { ...listOf(parameter), minItems: 1 },
    requestBody: strict({ required: { type: 'boolean' }, content }, 'content'),
    responses: {
      type: 'object',
      minProperties: 1,
      patternProperties: { '^[1-5][0-9][0-9]$': orReference(response) },
      additionalProperties: false,
    },
  },
  'operationId',
  'summary',
  'description',
  'tags',
  'security',
  'responses',
);
/** OpenAPI 3.1, as much of it as the document makes use of, and not a member more. */
const openApi = strict(
  {
    openapi: { type: 'string', pattern: '^3\\.1\\.[0-9]+$' },
    info: strict({ title: string, version: string, description: string }, 'title', 'version'),
    servers: listOf(strict({ url: string }, 'url')),
    tags: listOf(strict({ name: string, description: string }, 'name')),
    paths: {
      type: 'object',
      patternProperties: {
        '^/': {
          type: 'object',
          propertyNames: { enum: ['get', 'put', 'post', 'patch', 'delete'] },
          additionalProperties: operation,
        },
      },
      additionalProperties: false,
    },
    components: strict({
      schemas: mapOf(schema),
      responses: mapOf(response),
      securitySchemes: mapOf({
        oneOf: [
          strict(
            { type: { const: 'http' }, scheme: string, description: string },
            'type',
            'scheme',
          ),
          strict(
            {
              type: { const: 'apiKey' },
              in: { const: 'header' },
              name: string,
              description: string,
            },
            'type',
            'in',
            'name',
          ),
        ],
      }),
    }),
  },
  'openapi',
  'info',
  'paths',
);

/** Operations that are passed on to the edge are described by hand. */
const isOfEdge = (path: string) =>
  path.startsWith('/http/') || ['/write', '/api/v2/write', '/ping'].includes(path);

describe('the OpenAPI document', () => {
  it('is what `npm run openapi` makes at install, and what the client is made from', () => {
    const made = (name: string) =>
      readFileSync(join(import.meta.dirname, '../../schemas/client/generated', name), 'utf8');
    expect(document).toEqual(JSON.parse(made('openapi.json')));
    expect(clientTypes(document)).toBe(made('types.ts'));
    expect(clientRoutes(document)).toBe(made('routes.ts'));
  });

  it('is OpenAPI 3.1', () => {
    const ajv = new Ajv2020({ allErrors: true, strict: false });
    ajv.validate(openApi, document);
    expect(ajv.errors ?? []).toEqual([]);
  });

  it('has every route, under the name of its operation, and no other', () => {
    // The pages' own files, subtopics of commands in words, and what is passed on as it is: that is described by hand.
    const left = routes.filter(
      (route) =>
        route.method !== 'head' &&
        ![
          'passToEdge',
          'viewHome',
          'viewBench',
          'enterConsole',
          'viewSession',
          'viewQueuesPage',
          'commandThing_subtopic',
          'commandGroup_subtopic',
        ].includes(route.operation) &&
        (route.operation !== 'viewDocs' || route.path === '/docs/json'),
    );
    const documented = operations().filter(({ path }) => !isOfEdge(path));
    const at = left.map(({ method, path }) => `${method} ${path}`);
    expect(documented.map((one) => one.at).toSorted()).toEqual([...new Set(at)].toSorted());
    for (const one of documented) {
      const route = left.find(({ method, path }) => one.at === `${method} ${path}`);
      const id = String(member(one.operation, 'operationId'));
      expect([one.at, id]).toEqual([one.at, route?.operation]);
    }
    expect(operations().map((one) => one.at)).toEqual(
      expect.arrayContaining(['post /http/messages', 'post /http/messages/{subtopic}']),
    );
  });

  it('gives each operation a name, and each path a meaning, of its own', () => {
    const ids = operations().map((one) => member(one.operation, 'operationId'));
    expect(ids).toEqual([...new Set(ids)]);
    const paths = Object.keys(Object(member(document, 'paths')));
    const templates = paths.map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
    expect(templates).toEqual([...new Set(templates)]);
  });

  it('has no reference that leads nowhere', () => {
    const references = objects(document)
      .map((one) => member(one, '$ref'))
      .filter((reference) => typeof reference === 'string');
    expect(references).toContain('#/components/schemas/TreeGroup');
    for (const reference of references) {
      const path = reference.split('/');
      expect([reference, path[0], member(document, ...path.slice(1))]).toEqual([
        reference,
        '#',
        expect.anything(),
      ]);
    }
    const tags = [member(document, 'tags')].flat().map((tag) => member(tag, 'name'));
    for (const { at, operation: one } of operations()) {
      expect([at, tags]).toEqual([at, expect.arrayContaining([member(one, 'tags')].flat())]);
    }
  });

  it('describes every parameter of a path', () => {
    for (const { at, path, operation: one } of operations()) {
      const given = [member(one, 'parameters') ?? []].flat();
      const inPath = given.filter((parameter_) => member(parameter_, 'in') === 'path');
      const names = inPath.map((parameter_) => String(member(parameter_, 'name'))).toSorted();
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map((match) => String(match[1])).toSorted();
      expect([at, names]).toEqual([at, wanted]);
    }
  });

  it('says what every operation, parameter and member means', () => {
    const silent = operations().flatMap(({ at, operation: one }) => [
      ...(member(one, 'description') === undefined ? [at] : []),
      ...[member(one, 'parameters') ?? []]
        .flat()
        .filter((parameter_) => member(parameter_, 'description') === undefined)
        .map((parameter_) => `${at} ${String(member(parameter_, 'name'))}`),
    ]);
    expect(silent).toEqual([]);
    expect(silentMembers(document, '')).toEqual([]);
  });

  it('marks each time as a time', () => {
    const times = objects(document)
      .flatMap((one) => members(member(one, 'properties')))
      .filter(([name]) =>
        /^(created|updated|issued|expires|disabled|tried)_at$|^last_seen$/.test(name),
      );
    expect(times.length).toBeGreaterThan(20);
    for (const [name, one] of times) {
      const either = [one, ...[member(one, 'anyOf') ?? []].flat()];
      expect([name, either.map((each) => member(each, 'format'))]).toEqual([
        name,
        expect.arrayContaining(['date-time']),
      ]);
    }
  });

  it('says which headers a webhook cannot have', () => {
    const given = objects(document)
      .map((one) => member(one, 'properties', 'headers'))
      .filter((one) => [member(one, 'type')].flat().includes('null'));
    expect(given.length).toBeGreaterThan(1);
    for (const one of given) {
      const told = String(member(one, 'description'));
      for (const name of Object.keys(reservedHeaders)) expect(told).toContain(`\`${name}`);
    }
  });

  it('requires nothing that has a default', () => {
    for (const one of objects(document)) {
      const needed = [member(one, 'required') ?? []].flat().map(String);
      const withDefault = needed.filter(
        (name) => member(one, 'properties', name, 'default') !== undefined,
      );
      expect(withDefault).toEqual([]);
      if (member(one, 'schema', 'default') !== undefined) {
        expect([member(one, 'name'), member(one, 'required')]).toEqual([
          member(one, 'name'),
          false,
        ]);
      }
    }
  });

  it('has an example of each body and each answer, which its schema takes', () => {
    const ajv = documentAjv();
    const places = operations().flatMap(({ path, method, operation: one }) => [
      ['paths', path, method, 'requestBody'],
      ...members(member(one, 'responses'))
        .filter(([status]) => status < '300')
        .map(([status]) => ['paths', path, method, 'responses', status]),
    ]);
    const refusals = members(member(document, 'components', 'responses'));
    places.push(...refusals.map(([name]) => ['components', 'responses', name]));
    for (const place of places) {
      for (const [type, media] of members(member(document, ...place, 'content'))) {
        const at = [...place, 'content', type];
        const isBinary = member(media, 'schema', 'format') === 'binary';
        if (isBinary) continue;
        const example = member(media, 'example');
        expect([at, example]).not.toContain(undefined);
        const pointer = [...at, 'schema'].map((name) =>
          encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')),
        );
        ajv.validate({ $ref: `document#/${pointer.join('/')}` }, example);
        expect([at, ajv.errors ?? []]).toEqual([at, []]);
      }
    }
  });

  it('asks for the credential that the permission table asks for', () => {
    const credentials: Record<string, string[]> = {
      anyone: [],
      thing: ['thing'],
      userOrThing: ['bearer', 'thing'],
    };
    for (const { at, path, operation: one } of operations()) {
      if (isOfEdge(path)) continue;
      const name = member(one, 'operationId');
      const { needs, removes } = declared.find((each) => each.name === name) ?? {};
      const who = needs?.kind ?? 'nobody';
      expect([at, member(one, 'x-needs')]).toEqual([at, needs]);
      expect([at, member(one, 'x-removes')]).toEqual([at, removes]);
      const reads = declared.some((each) => each.name === name && readsOnly(each));
      const schemes = [member(one, 'security')].flat().flatMap((each) => Object.keys(Object(each)));
      const basic = reads && !['anyone', 'thing'].includes(who) ? ['basic'] : [];
      expect([at, schemes]).toEqual([at, [...(credentials[who] ?? ['bearer']), ...basic]]);
      expect([at, member(one, 'responses', '401') !== undefined]).toEqual([
        at,
        who !== 'anyone' || name === 'issueToken',
      ]);
    }
  });

  it('has one shape for all refusals, and no body where there is none', () => {
    for (const { at, operation: one } of operations()) {
      for (const [status, answer] of members(member(one, 'responses'))) {
        const refusal = status >= '400' && !/ (\/reader)?\/health/.test(at);
        if (refusal)
          expect([at, status, Object.keys(Object(answer))]).toEqual([at, status, ['$ref']]);
        if (status === '204') expect([at, member(answer, 'content')]).toEqual([at, undefined]);
      }
    }
    expect(JSON.stringify(document)).not.toContain('"type":"null","description":"empty"');
    expect(member(document, 'paths', '/orgs/{id}', 'put', 'responses', '200')).toEqual({
      description: 'OK',
    });
    expect(member(document, 'paths', '/orgs', 'post', 'responses', '201')).toEqual({
      description: 'Created',
      headers: { Location: { schema: { type: 'string' }, description: 'The path of the org' } },
    });
  });
});

describe('the page of the documentation', () => {
  it.each(['/docs', '/svcthings/docs'])('is at %s, with nothing from other hosts', async (path) => {
    const page = await call('GET', path);
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:/);
    const files = [...page.text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(
      (match) => match[1] ?? '',
    );
    expect(files).toEqual(expect.arrayContaining(['docs/main.js', 'docs/style.css', 'docs/json']));
    for (const file of files) {
      const at = new URL(file, `http://here${path}`);
      expect(at.host).toBe('here');
      const answer = await call('GET', at.pathname);
      expect([file, answer.status]).toEqual([file, 200]);
      expect(answer.headers['content-security-policy']).toBe(policy);
    }
    expect(page.text).not.toMatch(/<script>|<style>|style=|(?:src|href)="(?:https?:|\/)/);
    const slash = await call('GET', `${path}/`);
    expect([slash.status, slash.headers['location']]).toEqual([308, '../docs']);
  });

  it('is read-only, and serves nothing else', async () => {
    expect((await call('POST', '/docs')).status).toBe(405);
    for (const path of [
      '/docs/nothing',
      '/docs/static/nothing',
      '/docs/static/%2e%2e/package.json',
    ]) {
      const answer = await call('GET', path);
      expect([path, answer.status, json(answer)]).toMatchObject([
        path,
        404,
        { error: 'entity not found: path' },
      ]);
    }
  });
});
