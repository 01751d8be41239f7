import { type Static, type TSchema, Type } from 'typebox';
import { about, Uuid } from '../http/common.ts';
import { RetentionDays } from '../messages/retention.ts';

const Count = Type.Integer({ minimum: 0, maximum: 1_000_000_000 });

/** The limits of an org, member by member. */
const limits = {
  things: { schema: Count, says: 'Things in the org.', example: 1_000 },
  webhooks: { schema: Count, says: 'Webhooks of the org, its groups and its things.', example: 20 },
  rules: { schema: Count, says: 'Rules of the groups of the org.', example: 50 },
  messages_per_month: {
    schema: Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 }),
    says: 'Messages in a calendar month (UTC).',
    example: 5_000_000,
  },
  records_per_second: {
    schema: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
    says: 'Records a second.',
    example: 500,
  },
  storage_days: {
    schema: RetentionDays,
    says: 'Days that messages are kept at most, whatever the retention of the org and its groups.',
    example: 90,
  },
} as const;

const shown = <Schema extends TSchema>(limit: { schema: Schema; says: string; example: number }) =>
  Type.Optional(about(limit.schema, `${limit.says} Absent: no limit.`, limit.example));

const changed = <Schema extends TSchema>(limit: {
  schema: Schema;
  says: string;
  example: number;
}) =>
  Type.Optional(
    about(
      Type.Union([limit.schema, Type.Null()]),
      `${limit.says} Absent: it stays; \`null\`: no limit.`,
      limit.example,
    ),
  );

export const Quota = Type.Object({
  things: shown(limits.things),
  webhooks: shown(limits.webhooks),
  rules: shown(limits.rules),
  messages_per_month: shown(limits.messages_per_month),
  records_per_second: shown(limits.records_per_second),
  storage_days: shown(limits.storage_days),
});
export type Quota = Static<typeof Quota>;

/** Absent stays as it is; `null` takes the limit away. */
export const QuotaChange = Type.Object({
  things: changed(limits.things),
  webhooks: changed(limits.webhooks),
  rules: changed(limits.rules),
  messages_per_month: changed(limits.messages_per_month),
  records_per_second: changed(limits.records_per_second),
  storage_days: changed(limits.storage_days),
});
export type QuotaChange = Static<typeof QuotaChange>;

export const Usage = Type.Object({
  org_id: about(Uuid, 'Id of the org.', '5f6d3c52-8f0e-4a63-b1d5-0c8b6a0f2b21'),
  month: about(
    Type.String(),
    'Month whose messages and records are counted, as year and month (UTC).',
    '2026-11',
  ),
  things: about(Type.Integer(), 'Things in the org now.', 812),
  webhooks: about(Type.Integer(), 'Webhooks of the org, its groups and its things now.', 3),
  rules: about(Type.Integer(), 'Rules of the groups of the org now.', 12),
  messages: about(
    Type.Integer(),
    'Messages that were accepted this month, as of a few seconds ago.',
    1_234_567,
  ),
  records: about(Type.Integer(), 'Records of these messages.', 9_876_543),
  stored_records: about(
    Type.Integer(),
    'Records and JSON messages of the things now in the org that are stored.',
    45_678_901,
  ),
  quota: about(Quota, 'Limits of the org. Empty: none.'),
});
export type Usage = Static<typeof Usage>;
