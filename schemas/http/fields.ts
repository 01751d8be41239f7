import { Type } from 'typebox';
import { about, JsonObject, JsonObjectOrNull, Timestamp } from './common.ts';

/** Members that several resources have. */

export const CreatedAt = about(
  Timestamp,
  'When it was made: ISO 8601, UTC, milliseconds.',
  '2026-11-21T10:00:00.000Z',
);

export const UpdatedAt = about(
  Timestamp,
  'When it was last changed: ISO 8601, UTC, milliseconds.',
  '2026-11-21T10:00:00.000Z',
);

const exampleMetadata = { place: 'hall' };

export const Metadata = about(
  JsonObject,
  'Free-form members, as they were given.',
  exampleMetadata,
);

export const NewMetadata = Type.Optional(
  about(
    JsonObjectOrNull,
    'Free-form members, kept as they are. At most 64 KiB of JSON and 1,000 values.',
    exampleMetadata,
  ),
);

export const MetadataChange = Type.Optional(
  about(
    JsonObjectOrNull,
    'Free-form members instead of those there were. Absent: they stay; `null`: none are left. At most 64 KiB of JSON and 1,000 values.',
    exampleMetadata,
  ),
);

/** The description of something new. */
export function newDescription(example: string) {
  return Type.Optional(
    about(
      Type.String({ maxLength: 1024 }),
      'Description: at most 1,024 characters. Default empty.',
      example,
    ),
  );
}

/** Another description of what is there. */
export function descriptionChange(kind: string, example: string) {
  return Type.Optional(
    about(
      Type.Union([Type.String({ maxLength: 1024 }), Type.Null()]),
      `New description of the ${kind}. Absent: it stays; \`null\`: it becomes empty.`,
      example,
    ),
  );
}
