import { type Static, Type } from 'typebox';
import { about } from '../http/common.ts';

/** Where the messages of a gateway name the device that they are of, by its external key. */
const GatewayConfig = Type.Object({
  device_tag: Type.Optional(
    about(
      Type.String({ minLength: 1, maxLength: 254 }),
      'Tag of a line of line protocol that names the device.',
      'host',
    ),
  ),
  device_level: Type.Optional(
    about(
      Type.Integer({ minimum: 1, maximum: 127 }),
      'Level of the subtopic that names the device, from 1 on. It is left out of the subtopic then.',
    ),
  ),
  device_path: Type.Optional(
    about(
      Type.String({ minLength: 1, maxLength: 1024 }),
      'Dotted path of the member of a JSON message that names the device.',
      'deviceInfo.devEui',
    ),
  ),
  key_prefix: Type.Optional(
    about(
      Type.String({ minLength: 1, maxLength: 254 }),
      'Text before the name in the external keys of devices. Who knows an external key may send with it: a name that others know, such as a DevEUI, makes no secret without a prefix that they don’t. Default: none.',
      'k3v9-7fq2-',
    ),
  ),
  create_things: Type.Optional(
    about(
      Type.Boolean(),
      '`true`: a thing is made for a device that is not there, up to the quota of the org: in the group and with the profile of the gateway, of the type `device`. Default `false`.',
      false,
    ),
  ),
});
export type GatewayConfig = Static<typeof GatewayConfig>;

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
  gateway: Type.Optional(
    about(
      GatewayConfig,
      'How things of the type `gateway` speak for others of their group. Other things speak for themselves alone.',
      { device_path: 'deviceInfo.devEui' },
    ),
  ),
});
export type ProfileConfig = Static<typeof ProfileConfig>;
