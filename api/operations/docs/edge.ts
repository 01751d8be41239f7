import { Type } from 'typebox';
import { ReceivedCommand } from '../../../schemas/resources/command.ts';
import { type ErrorCode, errorTable } from '../../../schemas/http/errors.ts';
import { responseOf } from './answers.ts';

/** Messages are passed on to the edge, and have no schema here: the edge reads them by itself. */

const number = (description: string, example?: number) => ({
  type: 'number',
  description,
  ...(example === undefined ? {} : { examples: [example] }),
});
const string = (description: string, example?: string) => ({
  type: 'string',
  description,
  ...(example === undefined ? {} : { examples: [example] }),
});

/** RFC 8428. Base fields hold for the records that follow. */
const Record = {
  type: 'object',
  description: 'A record of RFC 8428. Base fields hold for the records that follow.',
  properties: {
    bn: string('Base name: stands before the names of this record and those that follow.', 'pump:'),
    bt: number(
      'Base time in seconds: added to the times of this record and those that follow. Default 0.',
    ),
    bu: string('Base unit: of records without a unit.'),
    bv: number('Base value: added to values. Default 0.'),
    bs: number('Base sum: added to sums. Default 0.'),
    bver: { type: 'integer', maximum: 10, description: 'Version of SenML. Default 10.' },
    n: string('Name. Default: the base name alone.', 'temperature'),
    u: string('Unit of the value.', 'Cel'),
    v: number('Value, where it is a number.', 21.5),
    vs: string('Value, where it is text.'),
    vb: { type: 'boolean', description: 'Value, where it is true or false.' },
    vd: string('Value, where it is bytes: base64url.'),
    s: number('Sum of the value over time.'),
    t: number(
      'Time in seconds since 1970 (UTC); below 2^28, seconds from now, and so negative in the past. Default: the time of receipt.',
    ),
    ut: number('Seconds until the thing sends again at the latest.'),
  },
};

const FreeForm = {
  type: 'object',
  additionalProperties: true,
  description: 'Free-form members.',
  examples: [{ temperature: 21.5, unit: 'Cel' }],
};

const refusals: readonly ErrorCode[] = [
  'malformed',
  'credential_missing',
  'too_large',
  'unsupported_type',
  'too_many',
  'unavailable',
];

const about =
  'Sends messages, as the thing whose key it is. A 202 is durable. What is wrong is refused whole, and the refusal names the record and the field. On 429 and 503 wait for `Retry-After` seconds, and send again. The profile of the thing may set the type that messages are read as; plain `application/json` is read as SenML where every element has a name (`n` or `bn`) and a value, and otherwise as JSON. At most 1 MiB and 10,000 records, unless the operator set something else. Parameters that a sender adds are ignored; only `subtopic` is refused, since it stands in the path.';

const stream =
  'Many messages over one connection: `GET /http/messages/stream[/<subtopic>]` at the edge itself, as an upgrade to a WebSocket with the same `Authorization` and `Content-Type`. Each line of a text frame is a message; in a binary frame each comes after its length, 4 bytes, most significant first. The edge sends `{"ack":n}`: all messages up to number n are on disk, but for those that `{"refused":{"from","to","status","error","code","retry_after"}}` named before. At most 64 KiB a frame, and 256 KiB without an ack, where each message counts 64 bytes more.';

const sending = {
  tags: ['messages'],
  security: [{ thing: [] }],
  'x-needs': { kind: 'thing' },
  requestBody: {
    required: true,
    content: {
      'application/senml+json': { schema: { type: 'array', items: Record } },
      'application/senml+cbor': {
        schema: { type: 'string', format: 'binary', description: 'The same in CBOR.' },
      },
      'application/json': {
        schema: { anyOf: [FreeForm, { type: 'array', items: FreeForm }] },
      },
    },
  },
  responses: {
    '202': { description: 'The messages are on disk, and will be stored and forwarded' },
    ...Object.fromEntries(
      refusals.map((code) => [
        String(errorTable[code].status),
        { $ref: `#/components/responses/${responseOf(code)}` },
      ]),
    ),
  },
};

const answersWith = (codes: readonly ErrorCode[]) =>
  Object.fromEntries(
    codes.map((code) => [
      String(errorTable[code].status),
      { $ref: `#/components/responses/${responseOf(code)}` },
    ]),
  );

const ofThing = {
  tags: ['commands'],
  security: [{ thing: [] }],
  'x-needs': { kind: 'thing' },
} as const;

/** The edge answers these. */
const commandPaths: Readonly<Record<string, object>> = {
  '/http/commands': {
    get: {
      operationId: 'receiveCommands',
      summary: 'As a thing, receive the commands that wait for one, or wait for some',
      description:
        'Answered at once where commands wait, the earliest first, up to 16; else once one is sent, or with none after `wait` seconds. Until the thing acknowledges a command it gets it again, 30 seconds later. A stream gets commands as well, once it has sent the text `commands`, as frames `{"command":{…}}`; it acknowledges them by a frame `acknowledge <id> <id> …`.',
      parameters: [
        {
          name: 'wait',
          in: 'query',
          description: 'Seconds to wait for a command at most: 0 to 60. Default 0.',
          schema: { type: 'integer', minimum: 0, maximum: 60, examples: [60] },
        },
      ],
      ...ofThing,
      responses: {
        '200': {
          description: 'Commands for the thing',
          content: {
            'application/json': {
              schema: Type.Object({
                commands: Type.Array(ReceivedCommand, { description: 'Commands that wait.' }),
              }),
            },
          },
        },
        ...answersWith(['malformed', 'credential_missing', 'too_many', 'unavailable']),
      },
    },
  },
  '/http/commands/{id}/acknowledge': {
    post: {
      operationId: 'acknowledgeCommand',
      summary: 'As a thing, acknowledge a command',
      description: 'It is not sent again. Once more changes nothing.',
      parameters: [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'Id of the command: a UUID.',
          schema: { type: 'string', format: 'uuid' },
        },
      ],
      ...ofThing,
      responses: {
        '204': { description: 'It is written down that the thing has it' },
        ...answersWith([
          'malformed',
          'credential_missing',
          'not_found',
          'too_large',
          'unsupported_type',
          'too_many',
          'unavailable',
        ]),
      },
    },
  },
};

const influxAnswers = {
  '204': { description: 'All points are on disk' },
  ...answersWith([
    'malformed',
    'credential_missing',
    'forbidden',
    'too_large',
    'unsupported_type',
    'too_many',
    'unavailable',
  ]),
};

/** InfluxDB's clients write here. */
function influxWrite(operationId: string, version: string, places: readonly string[]): object {
  return {
    operationId,
    summary: `Write line protocol, as to InfluxDB ${version}`,
    description:
      "Takes InfluxDB's line protocol, a point a line, plain or in gzip. Each field is a record of the thing whose key it is: `Token <key>`, the password of Basic, or `p` of the query. The name is measurement and field, tags become the subtopic. At most 1 MiB when inflated, and 100,000 fields. A 400 that begins with `partial write:` names the lines that can not be read; the others are on disk. Version 2 has `message` beside `error`.",
    tags: ['messages'],
    security: [{ thing: [] }],
    'x-needs': { kind: 'thing' },
    parameters: [
      {
        name: 'precision',
        in: 'query',
        description: 'Unit of the timestamps. Default: nanoseconds.',
        schema: { type: 'string', enum: ['n', 'ns', 'u', 'us', 'ms', 's', 'm', 'h'] },
      },
      ...places.map((name) => ({
        name,
        in: 'query',
        description: 'Taken, and not looked at: the key says whose points these are.',
        schema: { type: 'string', examples: ['any'] },
      })),
    ],
    requestBody: {
      required: true,
      content: {
        'text/plain': {
          schema: {
            type: 'string',
            examples: ['weather,room=hall temperature=21.5 1700000000000000000'],
          },
        },
      },
    },
    responses: influxAnswers,
  };
}

const influxPaths = {
  '/write': { post: influxWrite('writeLines', '1', ['db', 'rp']) },
  '/api/v2/write': { post: influxWrite('writeLinesOfVersion2', '2', ['org', 'bucket']) },
  '/ping': {
    get: {
      operationId: 'pingAsInfluxDb',
      summary: 'Ask for the version, as of InfluxDB',
      description:
        'Clients of InfluxDB ask for it before they write. The version is that of the InfluxDB whose writes are taken.',
      tags: ['messages'],
      security: [],
      'x-needs': { kind: 'anyone' },
      parameters: [
        {
          name: 'verbose',
          in: 'query',
          description: 'Whether the version is told in the body, too.',
          schema: { type: 'boolean', examples: [true] },
        },
      ],
      responses: {
        '200': {
          description: 'The version',
          content: {
            'application/json': {
              schema: { type: 'object', properties: { version: string('Version.', '1.8.10') } },
            },
          },
        },
        '204': { description: 'The version is in the header `X-Influxdb-Version`' },
      },
    },
  },
};

export const edgePaths: Readonly<Record<string, object>> = {
  ...commandPaths,
  ...influxPaths,
  '/http/messages': {
    post: {
      operationId: 'sendMessages',
      summary: 'Send messages',
      description: `${about}\n\n${stream}`,
      ...sending,
    },
  },
  '/http/messages/{subtopic}': {
    post: {
      operationId: 'sendMessagesOfSubtopic',
      summary: 'Send messages of a subtopic',
      description: `${about} The parts of the subtopic may be segments of the path as well.`,
      parameters: [
        {
          name: 'subtopic',
          in: 'path',
          required: true,
          description:
            'Subtopic, its parts joined by dots: at most 254 characters, no `*` and no `>`, and no part that is `.` or `..`.',
          schema: { type: 'string', maxLength: 254, examples: ['hall.one'] },
        },
      ],
      ...sending,
    },
  },
};
