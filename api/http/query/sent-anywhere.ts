/**
 * Parameters that the platform's clients send with whatever they ask for: where they mean nothing they are
 * passed over, but for a removal, which might be meant to be narrower than it is.
 */
export const sentAnywhere: ReadonlySet<string> = new Set([
  'total',
  'offset',
  'limit',
  'order',
  'dir',
  'name',
  'email',
  'metadata',
  'format',
  'time_format',
  'level',
  'tree',
]);
