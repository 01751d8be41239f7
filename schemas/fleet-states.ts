/** For so long after its last message a thing is active, and then quiet until it is silent. */
export const activeMs = 15 * 60_000;
export const silentMs = 24 * 3_600_000;
