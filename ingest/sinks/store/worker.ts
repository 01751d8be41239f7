/** Begins the thread of the store's sink. The sink itself is in thread.ts, so that tests can begin it with faults. */
import { runStoreThread } from './thread.ts';

await runStoreThread();
