/** What the thread of the store's sink is started with: see thread.ts. */
import { runStoreThread } from './thread.ts';

await runStoreThread();
