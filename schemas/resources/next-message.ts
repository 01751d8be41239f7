import { type Static, Type } from 'typebox';
import { about, Timestamp } from '../http/common.ts';
import { errorCodes } from '../http/errors.ts';
import { protocolsInWords } from '../messages/protocols.ts';

/** For so long one request may wait. */
export const nextMessageSecondsMax = 30;

/** So much of the body is shown. */
export const nextMessageBytesMax = 64 * 1024;

export const NextMessageQuery = Type.Object({
  wait: Type.Optional(
    about(
      Type.Integer({ minimum: 1, maximum: nextMessageSecondsMax }),
      `Seconds to wait for it: 1 to ${nextMessageSecondsMax}. Default ${nextMessageSecondsMax}.`,
      5,
    ),
  ),
});

const Refused = Type.Object({
  status: about(Type.Integer(), 'Status of the refusal, as HTTP has it.', 400),
  code: about(Type.Enum([...errorCodes]), 'Its code, which stays as it is.', 'malformed'),
  error: about(
    Type.String(),
    'What is wrong, and where.',
    'malformed entity specification: record 0: data_field "data" is missing',
  ),
});

/** A message as it came to an edge, before anything was made of it. */
export const NextMessage = Type.Object({
  received_at: about(
    Timestamp,
    'When it came: ISO 8601, UTC, milliseconds.',
    '2026-11-21T10:00:00.000Z',
  ),
  protocol: about(Type.String(), `Protocol by which it came: ${protocolsInWords}.`, 'http'),
  content_type: Type.Optional(
    about(Type.String(), 'Type of the body, as it was sent. Absent: none was.', 'application/json'),
  ),
  subtopic: Type.Optional(
    about(
      Type.String(),
      'Subtopic that it was sent under, its parts joined by dots. Absent: none.',
      'hall.one',
    ),
  ),
  bytes: about(Type.Integer(), 'Size of the body in bytes.', 26),
  encoding: about(
    Type.Enum(['text', 'base64']),
    '`base64`: of a body that is no text, as CBOR is.',
    'text',
  ),
  body: about(
    Type.String(),
    'The body as it was sent; of a longer one the first 64 KiB.',
    '{"at":"2026-11-21T10:00Z"}',
  ),
  accepted: about(
    Type.Boolean(),
    'Whether it was taken: it is on the disk, or its profile says not to store it.',
    false,
  ),
  refused: Type.Optional(
    about(
      Refused,
      'Why it was not taken; beside `accepted`, why some of its lines were not. Absent: all of it was taken.',
    ),
  ),
});
export type NextMessage = Static<typeof NextMessage>;

export const NextMessageAnswer = Type.Object({
  message: about(
    Type.Union([NextMessage, Type.Null()]),
    'The message; `null`: none came in that time.',
  ),
});
