import type { FastifyRequest } from 'fastify';
import { DomainError } from '../schemas/errors.ts';
import { findProblem } from './body.ts';

/**
 * Reads a query string as its schema means it: an empty value is an absent one, a parameter the schema
 * does not know is none, and what is to be a number or a boolean is made one. A parameter given twice
 * is a list, which the schema refuses. Without a schema it stays as it came.
 */
export function readQuery(request: FastifyRequest): void {
  const { query } = request;
  if (typeof query !== 'object' || query === null) return;
  const problem = findProblem(query);
  if (problem !== undefined) throw new DomainError('malformed', problem);
  const schema = request.routeOptions.schema?.querystring;
  if (schema === undefined) return;
  const properties = propertiesOf(schema);
  const read = Object.entries(query)
    .filter(([name, value]) => value !== '' && Object.hasOwn(properties, name))
    .map(([name, value]) => [name, readValue(properties[name]?.type, value)]);
  request.query = Object.fromEntries(read);
}

/** Reads the body of a search as a query is read; no body is an empty one. */
export async function readSearch(request: FastifyRequest): Promise<void> {
  const body = request.body ?? {};
  if (typeof body !== 'object' || Array.isArray(body)) return;
  const properties = propertiesOf(request.routeOptions.schema?.body);
  const read = Object.entries(body).filter(
    ([name, value]) => value !== '' && value !== null && Object.hasOwn(properties, name),
  );
  request.body = Object.fromEntries(read);
}

/** RFC 8259 §6. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function readValue(type: unknown, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (type === 'number' && jsonNumber.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function propertiesOf(schema: unknown): Readonly<Record<string, { type?: unknown }>> {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return {};
  const { properties } = schema;
  return typeof properties === 'object' && properties !== null ? { ...properties } : {};
}
