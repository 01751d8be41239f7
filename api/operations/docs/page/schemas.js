import { element, words } from './elements.js';

/**
 * @typedef {{
 *   $ref?: string, type?: string | string[], description?: string, format?: string, enum?: unknown[],
 *   const?: unknown, default?: unknown, minimum?: number, maximum?: number, minLength?: number,
 *   maxLength?: number, minItems?: number, maxItems?: number, pattern?: string,
 *   properties?: Record<string, Schema>, required?: string[], items?: Schema, anyOf?: Schema[],
 *   additionalProperties?: boolean | Schema
 * }} Schema
 * @typedef {Record<string, Schema>} Schemas
 */

/**
 * What a schema takes, in a few words.
 *
 * @param {Schema} schema
 * @param {Schemas} schemas
 * @returns {string}
 */
export function typeOf(schema, schemas) {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((one) => typeOf(one, schemas)).join(' or ');
  if (schema.enum !== undefined) return schema.enum.join(', ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const { type = 'anything', items, format, pattern, minimum, maximum } = schema;
  if (type === 'array') return `list of ${typeOf(items ?? {}, schemas)}`;
  const bounds = [
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && `to ${maximum}`,
    schema.minLength !== undefined && `at least ${schema.minLength} long`,
    schema.maxLength !== undefined && `at most ${schema.maxLength} long`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean);
  const base = [[type].flat().join(' or '), format, pattern].filter(Boolean).join(' ');
  return [base, ...bounds].join(', ');
}

/**
 * The members of a schema, with theirs.
 *
 * @param {Schema} schema
 * @param {Schemas} schemas
 * @param {readonly string[]} [within] the names that led here: a tree has no end
 * @returns {Node[]}
 */
export function membersOf(schema, schemas, within = []) {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    const found = schemas[name];
    return found === undefined || within.includes(name)
      ? []
      : membersOf(found, schemas, [...within, name]);
  }
  if (schema.anyOf !== undefined)
    return schema.anyOf.flatMap((one) => membersOf(one, schemas, within));
  if (schema.items !== undefined) return membersOf(schema.items, schemas, within);
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0) return [];
  const needed = new Set(schema.required ?? []);
  return [
    element(
      'ul',
      { className: 'members' },
      ...members.map(([name, member]) =>
        element(
          'li',
          {},
          element('code', {}, name),
          element(
            'span',
            { className: 'type' },
            ` ${typeOf(member, schemas)}${needed.has(name) ? ', required' : ''} `,
          ),
          ...words(member.description ?? ''),
          ...membersOf(member, schemas, within),
        ),
      ),
    ),
  ];
}
