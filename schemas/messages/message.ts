import { type TSchema, Type } from 'typebox';
import { about, Uuid } from '../http/common.ts';
import { errorCodes } from '../http/errors.ts';
import { protocolsInWords } from './protocols.ts';
import type { MessageFormat } from './tables.ts';

/** Messages as the reader returns them. ClickHouse writes their text; these schemas document it. */

/** Absent from an aggregate whose messages differ in it. */
const publisher = Type.Optional(
  about(
    Uuid,
    'Id of the thing that sent it. An aggregate has this and the other names only where they hold for all its messages.',
    'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b',
  ),
);
const protocol = Type.Optional(
  about(Type.String(), `Protocol by which it came: ${protocolsInWords}.`, 'http'),
);
const subtopic = Type.Optional(
  about(
    Type.String(),
    'Subtopic that it was sent under, its parts joined by dots. Absent: none.',
    'hall.one',
  ),
);

/** Of a page and of a search. */
const usualStep = Type.Optional(
  about(
    Type.Number(),
    'Seconds that usually lie between two messages of the series: their median. Only with `changes`, of two times or more.',
    60,
  ),
);

export const SenmlMessage = about(
  Type.Object({
    publisher,
    protocol,
    subtopic,
    name: Type.Optional(
      about(Type.String(), 'Name of the record, with its base name.', 'pump:temperature'),
    ),
    unit: Type.Optional(about(Type.String(), 'Unit of the value. Absent: none was sent.', 'Cel')),
    time: about(
      Type.Number(),
      'Time: seconds since 1970 (UTC), with their fraction.',
      1795255200.5,
    ),
    value: Type.Optional(
      about(
        Type.Union([Type.Number(), Type.Null()]),
        'Number, or the aggregate that was asked for: `null` in a filled interval.',
        21.5,
      ),
    ),
    string_value: Type.Optional(about(Type.String(), 'Text, where the value is one.')),
    bool_value: Type.Optional(about(Type.Boolean(), 'Truth value, where the value is one.')),
    data_value: Type.Optional(about(Type.String(), 'Bytes in base64, where the value is some.')),
    sum: Type.Optional(about(Type.Number(), 'Sum of the value over time.')),
    update_time: Type.Optional(
      about(Type.Number(), 'Seconds until the thing sends again at the latest, as it said.'),
    ),
    until: Type.Optional(
      about(
        Type.Number(),
        'Only with `changes`: until when the value was this, in seconds since 1970. It is the time of the next change, ' +
          'or of the last record before a silence or the end.',
      ),
    ),
  }),
  'A SenML record as it reads back. It has one of `value`, `string_value`, `bool_value` and `data_value`, or only `sum`.',
);

export const JsonMessage = about(
  Type.Object({
    publisher,
    protocol,
    subtopic,
    created: about(
      Type.Integer(),
      'Time: integer nanoseconds since 1970 (UTC). They are beyond the 53 bits that a number of JavaScript’s holds.',
      1795255200500000000,
    ),
    payload: about(Type.Unknown(), 'What was sent, after the profile’s transformer.', {
      temperature: 21.5,
    }),
    until: Type.Optional(
      about(
        Type.Integer(),
        'Only with `changes`: until when the value was this, in nanoseconds since 1970. It is the time of the next ' +
          'change, or of the last message before a silence or the end.',
      ),
    ),
  }),
  'A JSON message as it reads back.',
);

/** A page of such messages. */
function messagePage(format: MessageFormat, message: TSchema) {
  return about(
    Type.Object({
      offset: about(Type.Integer(), 'Messages left out before the page, as asked.', 0),
      limit: about(Type.Integer(), 'Messages in a page at most, as asked.', 10),
      format: about(Type.Literal(format), 'Format of the messages.', format),
      total: about(
        Type.Integer(),
        'Messages, intervals or changes in all, whatever the page shows of them.',
        1,
      ),
      usual_step: usualStep,
      messages: about(
        Type.Array(message),
        'Messages of the page, the newest first unless `dir` says otherwise.',
      ),
      next: Type.Optional(
        about(
          Type.String(),
          '`cursor` of what follows. Absent: nothing does. `Link` has it as well.',
        ),
      ),
    }),
    'A page of messages.',
  );
}

/** The answers to many searches, each in its place. */
export function foundMessages(message: TSchema) {
  return Type.Array(
    Type.Object({
      total: about(Type.Integer(), 'Messages, intervals or changes in all.', 1),
      usual_step: usualStep,
      messages: about(Type.Array(message), 'Messages of the page.'),
      next: Type.Optional(about(Type.String(), '`cursor` of what follows. Absent: nothing does.')),
      error: Type.Optional(about(Type.String(), 'What is wrong with the search. Absent: nothing.')),
      code: Type.Optional(about(Type.Enum([...errorCodes]), 'Code of the error.', 'not_found')),
    }),
  );
}

export const SenmlPage = messagePage('senml', SenmlMessage);
export const JsonPage = messagePage('json', JsonMessage);
