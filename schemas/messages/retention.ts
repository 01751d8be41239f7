import { Type } from 'typebox';

/** How many days messages are kept. */
export const RetentionDays = Type.Integer({ minimum: 1, maximum: 36_500 });

/** In a creation or an update: `null` keeps them forever, or as long as the org says. */
export const RetentionDaysOrNull = Type.Union([RetentionDays, Type.Null()]);
