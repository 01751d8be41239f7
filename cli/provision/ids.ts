import { createHash } from 'node:crypto';

/**
 * The id of what a file creates under a name in a parent: always the same UUID v4, so that a second
 * run finds what the first one created. `generation` distinguishes entities that had the name before.
 */
export function idFor(kind: string, parentId: string, name: string, generation: number): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(['millrace', kind, parentId.toLowerCase(), name, generation]))
    .digest('hex');
  const variant = ((Number.parseInt(digest.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `4${digest.slice(13, 16)}`,
    variant + digest.slice(17, 20),
    digest.slice(20, 32),
  ].join('-');
}
