import { type Static, Type } from 'typebox';
import { about } from '../http/common.ts';

/** The rules of a profile for its things' messages. */
export const ProfileConfig = Type.Object({
  content_type: Type.Optional(
    about(
      Type.String({ maxLength: 254 }),
      'Type that messages are read as, whatever `Content-Type` they are sent with: `application/senml+json`, `application/senml+cbor` or `application/json`. Default: as they are sent.',
      'application/json',
    ),
  ),
  /** `false`: messages are forwarded to webhooks and not stored. */
  write: Type.Optional(
    about(
      Type.Boolean(),
      '`false`: messages go to webhooks and are not stored. Default `true`.',
      true,
    ),
  ),
  transformer: Type.Optional(
    about(
      Type.Object({
        /** Dotted paths to keep, each stored flat under its path; an empty path counts as none. */
        data_filters: Type.Optional(
          about(
            Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 1000 }),
            'Dotted paths of the members to keep, each stored flat under its path. Default: all.',
            ['temperature', 'motor.rpm'],
          ),
        ),
        /** Dotted path to the part of the payload to keep. */
        data_field: Type.Optional(
          about(
            Type.String({ maxLength: 1024 }),
            'Dotted path of the part to keep: an object, or a list of objects. Default: the whole.',
            'data',
          ),
        ),
        time_field: Type.Optional(
          about(
            Type.String({ maxLength: 1024 }),
            'Dotted path of the time, in the part that is kept or else in the whole. Default: the time of receipt.',
            'at',
          ),
        ),
        /** `unix`, `unix_ms`, `unix_us`, `unix_ns`, a named layout, or a Go reference layout. */
        time_format: Type.Optional(
          about(
            Type.String({ maxLength: 254 }),
            'How the time is written: `unix`, `unix_ms`, `unix_us`, `unix_ns`; `rfc3339`, `rfc3339nano`, `iso8601`, `ansic`, `unixdate`, `rubydate`, `rfc822`, `rfc822z`, `rfc850`, `rfc1123`, `rfc1123z`, `stamp`, `stampmilli`, `stampmicro`, `stampnano`; or a Go reference layout such as `02.01.2006 15:04`. Default: a number of seconds, or `rfc3339`.',
            'rfc3339',
          ),
        ),
        /** IANA time zone for layouts without one; default UTC. */
        time_location: Type.Optional(
          about(
            Type.String({ maxLength: 254 }),
            'IANA time zone of times that name none, and of abbreviations such as `CET`. Default `UTC`.',
            'Europe/Berlin',
          ),
        ),
      }),
      'How JSON messages are read. Default: whole, at the time of receipt.',
    ),
  ),
  line: Type.Optional(
    about(
      Type.Object({
        tags: Type.Optional(
          about(
            Type.Array(Type.String({ maxLength: 254 }), { maxItems: 100 }),
            'Tags that become the subtopic; others are left out. Default: all.',
            ['room', 'floor'],
          ),
        ),
      }),
      "How InfluxDB's line protocol is read. Default: all tags become the subtopic.",
    ),
  ),
});
export type ProfileConfig = Static<typeof ProfileConfig>;
