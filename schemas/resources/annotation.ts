import { type Static, Type } from 'typebox';
import { about, Timestamp, Uuid } from '../http/common.ts';
import { listQuery, pageEnvelope } from '../http/page.ts';
import { Time, UntilTime } from '../http/time.ts';

const Instant = Type.Unsafe<string | number>(Time);

const Text = about(
  Type.String({ minLength: 1, maxLength: 1_024 }),
  'Text: 1 to 1,024 characters.',
  'New compressor',
);
const From = about(
  Instant,
  `When it begins, or the moment that it is about. ${Time.description}`,
  '2026-11-21T10:00:00.000Z',
);
const To = about(
  Instant,
  `When it ends. Absent: it is about a moment. ${UntilTime.description}`,
  '2026-11-21T12:00:00.000Z',
);

/** A note of people on a moment or a time, of a group or of one of its things. */
export const Annotation = Type.Object({
  id: about(Uuid, 'Id of the annotation: a UUID.', '5c1f2f0e-6a55-4f0b-9f0a-2f0c6d1f7a10'),
  group_id: about(Uuid, 'Id of its group.', 'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b'),
  thing_id: Type.Optional(about(Uuid, 'Id of its thing. Absent: it is of the whole group.')),
  text: about(Type.String(), 'Text.', 'New compressor'),
  from: about(
    Timestamp,
    'When it begins, or the moment that it is about: ISO 8601, UTC.',
    '2026-11-21T10:00:00.000Z',
  ),
  to: Type.Optional(
    about(Timestamp, 'When it ends. Absent: it is about a moment.', '2026-11-21T12:00:00.000Z'),
  ),
  made_by_email: Type.Optional(about(Type.String(), 'E-mail of who made it.', 'ana@example.com')),
  created_at: about(Timestamp, 'When it was made: ISO 8601, UTC.', '2026-11-21T10:05:00.000Z'),
  updated_at: about(Timestamp, 'When it was changed last: ISO 8601, UTC.'),
});
export type Annotation = Static<typeof Annotation>;

export const NewAnnotation = Type.Object({
  text: Text,
  from: From,
  to: Type.Optional(To),
  thing_id: Type.Optional(
    about(Uuid, 'Thing of the group that it is about. Default: the whole group.'),
  ),
});
export type NewAnnotation = Static<typeof NewAnnotation>;

/** It takes the place of what was there. What it is about stays. */
export const AnnotationChange = Type.Object({ text: Text, from: From, to: Type.Optional(To) });
export type AnnotationChange = Static<typeof AnnotationChange>;

const orders = ['from', 'id', 'created_at'] as const;
const { metadata: _, ...page } = listQuery(orders, {}).properties;
const filters = {
  from: Type.Optional(about(Instant, `Only those that went on then or later. ${Time.description}`)),
  to: Type.Optional(about(Instant, `Only those that had begun by then. ${UntilTime.description}`)),
};
export const AnnotationsQuery = Type.Object({
  ...page,
  order: Type.Optional(about(Type.Enum([...orders]), 'Member to sort by. Default `from`.')),
  ...filters,
});
export type AnnotationsQuery = Static<typeof AnnotationsQuery>;

const { total, offset, limit, order, dir } = pageEnvelope;
export const Annotations = Type.Object({
  total,
  offset,
  limit,
  order,
  dir,
  ...filters,
  annotations: about(Type.Array(Annotation), 'Annotations of the page.'),
});
