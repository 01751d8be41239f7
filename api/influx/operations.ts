import { Type } from 'typebox';
import { about } from '../../schemas/http/common.ts';
import { operations } from '../http/operation.ts';
import { limits } from '../limits.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

const common = {
  db: text('The database: name or id of an org that the caller is in.'),
  epoch: text('Unit of times: `ns`, `u`, `ms`, `s`, `m` or `h`. Without it: RFC 3339.'),
  chunked: text('`true`: the answer comes in parts, each a line of JSON.'),
  chunk_size: text('Rows in a part (10000).'),
  pretty: text('`true`: JSON is indented.'),
  params: text('Values of `$name` in the statements, as a JSON object.'),
  rp: text('Not looked at.'),
};

const credentials = {
  u: text('Any user name.'),
  p: text('An API key or a token, where no header has it.'),
};

const Query = Type.Object({
  q: text('Statements of InfluxQL, with semicolons between them.'),
  ...common,
  ...credentials,
});

const Answer = {
  content: {
    'application/json': {
      schema: Type.Object({
        results: about(
          Type.Array(Type.Object({}, { additionalProperties: true })),
          'A result for each statement: its series, or why it failed.',
          [
            {
              statement_id: 0,
              series: [
                {
                  name: 'pump:temperature',
                  columns: ['time', 'mean'],
                  values: [['2026-11-22T10:00:00Z', 21.5]],
                },
              ],
            },
          ],
        ),
      }),
    },
    'text/csv': {
      schema: { type: 'string', description: 'A line of names and its rows for each statement.' },
      example: 'name,tags,time,mean\npump:temperature,,1795255200000000000,21.5\n',
    },
  },
};

const asked = {
  path: '/query',
  needs: { kind: 'user' },
  written: { 200: Answer },
  about:
    'As the API of InfluxDB 1: a statement that fails says so in its place, and the status is 200. `Accept: application/csv` asks for CSV.',
  readsByItself: true,
  ofInflux: true,
} as const;

export const influx = operations('messages', {
  queryInflux: {
    ...asked,
    method: 'GET',
    head: false,
    query: Query,
    summary: 'Read messages by InfluxQL, as clients of InfluxDB do',
  },
  queryInflux_post: {
    ...asked,
    method: 'POST',
    reads: true,
    query: Query,
    body: {
      content: {
        'application/x-www-form-urlencoded': {
          schema: Type.Object({ q: Query.properties.q, ...common }),
        },
      },
    },
    bodyBytesMax: limits.influxBodyBytesMax,
    summary: 'Read messages by InfluxQL; what the query string may have can stand in a form',
  },
});
