import type { FastifyRequest } from 'fastify';
import { DomainError } from '../schemas/errors.ts';
import { findProblem } from './body.ts';

/**
 * Reads a query string as its schema means it: an empty value is an absent one, and what is to be an
 * integer is made one. A parameter given twice is a list, which the schema refuses.
 */
export function readQuery(request: FastifyRequest): void {
  const { query } = request;
  if (typeof query !== 'object' || query === null) return;
  const problem = findProblem(query);
  if (problem !== undefined) throw new DomainError('malformed', problem);
  const properties = propertiesOf(request.routeOptions.schema?.querystring);
  const read = Object.entries(query)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, readValue(properties[name]?.type, value)]);
  request.query = Object.fromEntries(read);
}

function readValue(type: unknown, value: unknown): unknown {
  return type === 'integer' && typeof value === 'string' && /^-?\d{1,15}$/.test(value)
    ? Number(value)
    : value;
}

function propertiesOf(schema: unknown): Readonly<Record<string, { type?: unknown }>> {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return {};
  const { properties } = schema;
  return typeof properties === 'object' && properties !== null ? { ...properties } : {};
}
