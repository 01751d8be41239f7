/**
 * The Redis channel on which the API announces that keys may have changed. The message is empty and means: read the
 * journal in Postgres now. It may get lost: edges also read the journal at an interval.
 */
export const keyChangesChannel = 'millrace:key-changes';
