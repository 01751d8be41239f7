/** The types of the client, and the routes of its operations, as the sources of two modules, out of the OpenAPI document. */

import { type Members, membersOf } from '../../../schemas/members.ts';

const head = `// Made from openapi.json by \`npm run openapi\`. Change the schemas, not this file.
`;

/** @param document The OpenAPI document; its references all lead to named schemas. */
export function clientTypes(document: unknown): string {
  const schemas = Object.entries(
    membersOf(membersOf(membersOf(document)['components'])['schemas']),
  );
  const operations = operationsOf(document);
  return [
    head,
    ...schemas.map(
      ([name, schema]) => `${commentOf(schema)}export type ${name} = ${typeOf(schema)};\n`,
    ),
    '/** What each operation takes. */',
    'export type Requests = {',
    ...operations.map(({ name, about, request }) => indent(`${about}${name}: ${request};`)),
    '};\n',
    '/** The JSON that each operation answers. */',
    'export type Answers = {',
    ...operations.map(({ name, answer }) => indent(`${name}: ${answer};`)),
    '};\n',
    'export type OperationName = keyof Requests;',
    "export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';",
    '/** Those whose answer names what they made, in its `Location`. */',
    `export type Creation = ${unionOf(operations.flatMap(({ name, makes }) => (makes ? literal(name) : [])))};`,
    `export type Tag = ${unionOf(operations.map(({ tag }) => literal(tag)))};\n`,
    '/** What takes something away. */',
    `export type Removal = ${unionOf(operations.flatMap(({ name, removes }) => (removes ? [literal(name)] : [])))};\n`,
    '/** What it takes to do an operation: `member` is who has this role, or one above it, in the org or the group. */',
    `export type Needs = ${unionOf(operations.map(({ needs }) => needs))};`,
    '',
  ].join('\n');
}

/**
 * Where each operation is, and what else a call must know of it at run time, as the source of a module. A page that
 * needs the routes alone takes no more: its bundler leaves the others out.
 */
export function clientRoutes(document: unknown): string {
  const operations = operationsOf(document);
  return [
    head,
    "import type { Method, Needs, OperationName, Tag } from './types.ts';\n",
    '/** Its method, and its path with a `{name}` for each id. */',
    'export const routes: Readonly<Record<OperationName, readonly [Method, string]>> = {',
    ...operations.map(({ name, method, path }) =>
      indent(`${name}: [${literal(method)}, ${literal(path)}],`),
    ),
    '};\n',
    '/** The section of the document that has it. */',
    'export const tags: Readonly<Record<OperationName, Tag>> = {',
    ...operations.map(({ name, tag }) => indent(`${name}: ${literal(tag)},`)),
    '};\n',
    '/** A member of the JSON that it answers: the first list, or else the first that is required. Absent: no JSON. */',
    'export const members: Readonly<Partial<Record<OperationName, string>>> = {',
    ...operations.flatMap(({ name, has }) =>
      has === undefined ? [] : [indent(`${name}: ${literal(has)},`)],
    ),
    '};\n',
    'export const needs: Readonly<Record<OperationName, Needs>> = {',
    ...operations.map(({ name, needs }) => indent(`${name}: ${needs},`)),
    '};',
    '',
  ].join('\n');
}

function operationsOf(document: unknown) {
  const { components, paths } = membersOf(document);
  return Object.entries(membersOf(paths)).flatMap(([path, item]) =>
    Object.entries(membersOf(item)).map(([method, operation]) =>
      readOperation(method, path, membersOf(operation), membersOf(components)),
    ),
  );
}

function readOperation(method: string, path: string, operation: Members, components: Members) {
  const { operationId, summary, tags, parameters = [], requestBody, responses } = operation;
  const given = [parameters].flat().map(membersOf);
  const within = (place: string) => given.filter((parameter) => parameter['in'] === place);
  const query = within('query');
  const body = membersOf(requestBody);
  const [tag] = [tags].flat();
  const answer = answerOf(membersOf(responses));
  const members = [
    within('path').length > 0 && `path: ${parametersType(within('path'))};`,
    query.length > 0 &&
      `query${query.some((one) => one['required'] === true) ? '' : '?'}: ${parametersType(query)};`,
    requestBody !== undefined &&
      `body${body['required'] === true ? '' : '?'}: ${bodyType(membersOf(body['content']))};`,
  ].filter((member) => typeof member === 'string');
  return {
    name: String(operationId),
    about: comment(summary),
    tag: String(tag),
    request: members.length === 0 ? 'Record<string, never>' : block(members),
    answer: answer === undefined ? 'undefined' : typeOf(answer),
    method: method.toUpperCase(),
    path,
    has: answer === undefined ? undefined : (memberOf(answer, components) ?? ''),
    removes: operation['x-removes'] === true,
    needs: `{ ${Object.entries(membersOf(operation['x-needs']))
      .map(([member, value]) => `${member}: ${literal(value)}`)
      .join(', ')} }`,
    makes: Object.values(membersOf(responses)).some(
      (response) => membersOf(membersOf(response)['headers'])['Location'] !== undefined,
    ),
  };
}

/** The JSON of the first success; undefined where that has none. */
function answerOf(responses: Members): unknown {
  const success = Object.keys(responses).find((status) => status.startsWith('2')) ?? '';
  const content = membersOf(membersOf(responses[success])['content']);
  const json = Object.keys(content).find((type) => type.endsWith('json') && !type.includes('nd'));
  return json === undefined ? undefined : membersOf(content[json])['schema'];
}

function bodyType(content: Members): string {
  const json = content['application/json'];
  return json === undefined ? 'unknown' : typeOf(membersOf(json)['schema']);
}

/** A member that tells this answer from that of another server. */
function memberOf(schema: unknown, components: Members): string | undefined {
  const { $ref: reference, properties, required } = membersOf(schema);
  if (typeof reference === 'string') {
    return memberOf(membersOf(components['schemas'])[nameIn(reference)], components);
  }
  const needed = [required ?? []].flat().map(String);
  const isList = (name: string) => membersOf(membersOf(properties)[name])['type'] === 'array';
  return needed.find(isList) ?? needed[0];
}

function parametersType(parameters: readonly Members[]): string {
  return block(
    parameters.map(({ name, required, description, schema }) => {
      const type = isJsonText(schema) ? 'Record<string, unknown>' : typeOf(schema);
      const optional = required === true ? '' : '?';
      const orAbsent = required === true ? '' : ' | undefined';
      return `${comment(description)}${String(name)}${optional}: ${type}${orAbsent};`;
    }),
  );
}

/** An object that stands in a query as JSON. */
function isJsonText(schema: unknown): boolean {
  return membersOf(schema)['contentMediaType'] === 'application/json';
}

function typeOf(schema: unknown): string {
  const { $ref: reference, anyOf, enum: values, const: only, type, ...rest } = membersOf(schema);
  if (typeof reference === 'string') return nameIn(reference);
  if (Array.isArray(anyOf)) return unionOf(anyOf.map(typeOf));
  if (Array.isArray(values)) return unionOf(values.map(literal));
  if (only !== undefined) return literal(only);
  if (Array.isArray(type)) return unionOf(type.map((one) => typeOf({ ...rest, type: one })));
  switch (type) {
    case 'object':
      return objectType(rest);
    case 'array': {
      const item = typeOf(rest['items']);
      return item.includes(' ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    default:
      return 'unknown';
  }
}

function objectType({ properties, required, additionalProperties: others }: Members): string {
  const known = Object.entries(membersOf(properties));
  if (known.length === 0) {
    return `Record<string, ${typeof others === 'object' ? typeOf(others) : 'unknown'}>`;
  }
  const needed = new Set([required ?? []].flat());
  return block(
    known.map(([name, schema]) => {
      const key = /^\w+$/.test(name) ? name : literal(name);
      return `${commentOf(schema)}${key}${needed.has(name) ? '' : '?'}: ${typeOf(schema)};`;
    }),
  );
}

const commentOf = (schema: unknown) => comment(membersOf(schema)['description']);

function comment(text: unknown): string {
  if (typeof text !== 'string') return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

const block = (members: readonly string[]) => `{\n${members.map(indent).join('\n')}\n}`;

const indent = (text: string) => text.replaceAll(/^(?=.)/gm, '  ');

const unionOf = (types: readonly string[]) => [...new Set(types)].join(' | ');

const nameIn = (reference: string) => reference.split('/').at(-1) ?? '';

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", String.raw`\'`)}'` : String(value);
}
