/**
 * The Redis channel on which the API says that keys may have changed. The message is empty and means:
 * look at the journal in Postgres now. It may get lost; edges look at the journal by themselves as well.
 */
export const keyChangesChannel = 'millrace:key-changes';
