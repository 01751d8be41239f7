import { type ErrorCode, errorTable } from '../../schemas/errors.ts';
import { responseOf } from './answers.ts';

/** What is passed on to the edge has no schema here: the edge reads it by itself. */

const number = { type: 'number' };
const string = { type: 'string' };

/** RFC 8428. Base fields hold for the records that follow. */
const Record = {
  type: 'object',
  properties: {
    bn: string,
    bt: number,
    bu: string,
    bv: number,
    bs: number,
    bver: { type: 'integer', maximum: 10 },
    n: string,
    u: string,
    v: number,
    vs: string,
    vb: { type: 'boolean' },
    vd: string,
    s: number,
    t: number,
    ut: number,
  },
};

const FreeForm = { type: 'object', additionalProperties: true };

const refusals: readonly ErrorCode[] = [
  'malformed',
  'credential_missing',
  'too_large',
  'unsupported_type',
  'too_many',
  'unavailable',
];

const sending = {
  tags: ['messages'],
  security: [{ thing: [] }],
  requestBody: {
    required: true,
    content: {
      'application/senml+json': { schema: { type: 'array', items: Record } },
      'application/senml+cbor': { schema: {} },
      'application/json': {
        schema: { anyOf: [FreeForm, { type: 'array', items: FreeForm }] },
      },
    },
  },
  responses: {
    '202': { description: 'It is on disk' },
    ...Object.fromEntries(
      refusals.map((code) => [
        String(errorTable[code].status),
        { $ref: `#/components/responses/${responseOf(code)}` },
      ]),
    ),
  },
};

export const edgePaths: Readonly<Record<string, object>> = {
  '/http/messages': {
    post: { operationId: 'sendMessages', summary: 'As a thing, send messages', ...sending },
  },
  '/http/messages/{subtopic}': {
    post: {
      operationId: 'sendMessagesOfSubtopic',
      summary: 'As a thing, send messages of a subtopic; its parts may be segments of the path too',
      parameters: [{ name: 'subtopic', in: 'path', required: true, schema: string }],
      ...sending,
    },
  },
};
