/**
 * The Redis channel on which whoever made commands tells the edges for which things: their ids, joined by commas, or
 * nothing where they are many. It may get lost: edges also look for new commands at an interval.
 */
export const commandsChannel = 'millrace:commands';

/** More things are not named one by one. */
const namedMax = 200;

export const writeCommandNotice = (things: readonly string[]): string =>
  things.length > namedMax ? '' : things.join(',');

/** Undefined: any thing may be meant. */
export const readCommandNotice = (notice: string): string[] | undefined =>
  notice === '' ? undefined : notice.split(',');
