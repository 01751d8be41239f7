/** The edge without its promise: the same in all but the sync. It shows what the sync costs. */
import { createDisk } from '../../ingest/log/disk.ts';
import { main } from '../../ingest/main.ts';

await main(createDisk({ dataSync: false }));
