/*
 * A silence of a series, by one rule in the store's answers and on charts: more than three usual steps from one message to the
 * next. A device may report more often for a while: usual is the longest of the medians of all steps, of those before, and of
 * those after.
 */

/** Devices are late, and a message gets lost: only a longer time without messages is an outage. */
export const usualStepsMax = 3;

/** So many steps before one, or after it, tell how long it usually is; fewer than the least are too few. */
export const besideMax = 9;
export const besideMin = 5;
