import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../../schemas/http/errors.ts';
import { notKnown } from '../../../schemas/http/nearest.ts';
import { sentAnywhere } from './sent-anywhere.ts';
import { findProblem } from '../body.ts';
import { operationOf } from '../operation.ts';

/**
 * Reads a query string as its schema means it: an empty value is an absent one, and what is to be a number or
 * a boolean is made one. A parameter given twice is a list, which the schema refuses.
 *
 * @throws DomainError `malformed` naming a parameter that is not known, and the one that may be meant.
 */
export function readQuery(request: FastifyRequest): void {
  const { query, routeOptions } = request;
  const { readsByItself, removes } = operationOf(request);
  if (readsByItself) return;
  if (typeof query !== 'object' || query === null) return;
  const problem = findProblem(query);
  if (problem !== undefined) throw new DomainError('malformed', problem);
  const properties = propertiesOf(routeOptions.schema?.querystring);
  const read: [string, unknown][] = [];
  for (const [name, value] of Object.entries(query)) {
    if (!Object.hasOwn(properties, name)) {
      if (!removes && sentAnywhere.has(name)) continue;
      throw new DomainError('malformed', notKnown(name, Object.keys(properties)));
    }
    if (value !== '') read.push([name, readValue(properties[name]?.type, value)]);
    // A variable of a script that was not set would make it a removal of everything.
    else if (removes) throw new DomainError('malformed', `${name} is empty`);
  }
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

/**
 * A removal that was sent with a body must mean it.
 *
 * @throws DomainError `malformed` if the route takes none.
 */
export function refuseBody(request: FastifyRequest): void {
  const { removes, body: taken } = operationOf(request);
  const { body } = request;
  if (!removes || body === undefined || taken !== undefined) return;
  const isEmpty = typeof body === 'object' && (body === null || Object.keys(body).length === 0);
  if (!isEmpty) throw new DomainError('malformed', 'a body is not taken here');
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
