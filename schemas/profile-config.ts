import { type Static, Type } from 'typebox';

/** What a profile says about its things' messages. */
export const ProfileConfig = Type.Object({
  content_type: Type.Optional(Type.String({ maxLength: 254 })),
  /** `false`: messages are forwarded to webhooks and not stored. */
  write: Type.Optional(Type.Boolean()),
  transformer: Type.Optional(
    Type.Object({
      /** Dotted paths to keep, each stored flat under its path; an empty one is none. */
      data_filters: Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 1000 })),
      /** Dotted path to the part of the payload to keep. */
      data_field: Type.Optional(Type.String({ maxLength: 1024 })),
      time_field: Type.Optional(Type.String({ maxLength: 1024 })),
      /** `unix`, `unix_ms`, `unix_us`, `unix_ns`, a named layout, or a Go reference layout. */
      time_format: Type.Optional(Type.String({ maxLength: 254 })),
      /** IANA time zone for layouts that carry none; default UTC. */
      time_location: Type.Optional(Type.String({ maxLength: 254 })),
    }),
  ),
});
export type ProfileConfig = Static<typeof ProfileConfig>;
