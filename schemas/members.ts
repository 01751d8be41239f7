/** JSON values and schemas of which no type is known yet, read member by member. */

export type Members = Readonly<Record<string, unknown>>;

/** Arrays included. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

/** No members, where it is no object. */
export function membersOf(value: unknown): Members {
  return isObject(value) ? { ...value } : {};
}
