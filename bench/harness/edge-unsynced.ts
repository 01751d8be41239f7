/** The edge without the sync, to measure what the sync costs. */
import { createDisk } from '../../ingest/log/disk.ts';
import { main } from '../../ingest/main.ts';

await main({ disk: createDisk({ dataSync: false }) });
