import { type Static, Type } from 'typebox';
import { about, JsonObject, Timestamp } from '../http/common.ts';
import { NewProfile } from './profile.ts';

export const ProfilePreview = Type.Object({
  config: NewProfile.properties.config,
  payload: about(
    Type.String({ maxLength: 65_536 }),
    'Body of a message, as a device sends it: JSON text, at most 65,536 characters.',
    '{"at":"2026-11-21T10:00:00Z","motor":{"rpm":1480}}',
  ),
});
export type ProfilePreview = Static<typeof ProfilePreview>;

/** A record as it would be stored. */
const PreviewedRecord = Type.Object({
  time: about(Timestamp, 'Its time; now, where the message has none.', '2026-11-21T10:00:00.000Z'),
  payload: about(
    JsonObject,
    'Its members, as they would be stored: integers keep all their digits.',
    { 'motor.rpm': 1480 },
  ),
});

export const PreviewedProfile = Type.Object({
  refused: Type.Optional(
    about(
      Type.String(),
      'Why the message would be refused, as the device is told. Absent: it would be taken.',
      'record 0: data_field "data" is missing',
    ),
  ),
  total: about(Type.Integer(), 'Number of its records. 0 where it would be refused.', 1),
  records: about(Type.Array(PreviewedRecord), 'The first 50 of them.'),
});
export type PreviewedProfile = Static<typeof PreviewedProfile>;
