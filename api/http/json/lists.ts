import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TObject, Type } from 'typebox';
import { isObject, type Members } from '../../../schemas/members.ts';
import { limits } from '../../limits.ts';
import { JsonText } from '../../stores/json-text.ts';
import { inPieces, mustTake } from '../connections/pace.ts';
import type { Operation } from '../operation.ts';
import type { Api } from '../schemas.ts';

/** An answer that holds one list: its name, the schema of all beside it, and that of a row but for its metadata. */
type List = { name: string; beside: Members; row: Members };

type Listed = { list: List; answer: Members; rows: readonly Members[] };

/**
 * Writes the lists of all routes row by row, so that other requests have their turn between two rows: a page
 * of two hundred rows of 64 KiB would take the processor for a fifth of a second.
 */
export function writeListsByRow(api: Api): void {
  const lists = new Map<Operation, List>();
  const toWrite = new WeakMap<FastifyRequest, Listed>();

  api.addHook('onRoute', ({ config, schema }) => {
    const list = config === undefined ? undefined : listIn(schema?.response);
    if (config?.operation !== undefined && list !== undefined) lists.set(config.operation, list);
  });
  api.addHook('preSerialization', async (request, _reply, answer: unknown) => {
    const { operation } = request.routeOptions.config;
    const list = operation && lists.get(operation);
    if (list === undefined || !isObject(answer)) return answer;
    const rows = answer[list.name];
    if (!Array.isArray(rows) || rows.length <= limits.pageLimitDefault) return answer;
    toWrite.set(request, { list, answer, rows: rows.filter(isObject) });
    return { ...answer, [list.name]: [] };
  });
  api.addHook('onSend', async (request, reply, payload) => {
    const listed = toWrite.get(request);
    if (listed === undefined) return payload;
    mustTake(reply.raw);
    return Readable.from(inPieces(textOf(reply, listed)));
  });
}

async function* textOf(reply: FastifyReply, { list, answer, rows }: Listed) {
  const beside = reply.serializeInput(answer, list.beside).slice(0, -1);
  yield `${beside}${beside === '{' ? '' : ','}"${list.name}":[`;
  for (const [index, row] of rows.entries()) {
    const { metadata } = row;
    const text = reply.serializeInput(row, list.row);
    const raw = metadata instanceof JsonText ? metadata.text : JSON.stringify(metadata);
    const whole = raw === undefined ? text : `${text.slice(0, -1)},"metadata":${raw}}`;
    yield index === 0 ? whole : `,${whole}`;
    await setImmediate();
  }
  yield ']}';
}

function listIn(response: unknown): List | undefined {
  const answer = isObject(response) ? response[200] : undefined;
  if (!Type.IsObject(answer)) return undefined;
  const lists = Object.entries(answer.properties).filter(([, schema]) => Type.IsArray(schema));
  const [[name, list] = [], ...others] = lists;
  if (name === undefined || !Type.IsArray(list) || others.length > 0) return undefined;
  if (!Type.IsObject(list.items)) return undefined;
  return {
    name,
    beside: without(answer, name),
    row: without(list.items, 'metadata'),
  };
}

function without(schema: TObject, name: string): Members {
  const { [name]: _, ...properties } = schema.properties;
  return { ...schema, properties, required: schema.required?.filter((one) => one !== name) ?? [] };
}
