import { messageFormats } from '../../schemas/messages/tables.ts';
import type { Api } from '../http/schemas.ts';
import { backupRoutes } from './backup/routes.ts';
import { type DeleteDependencies, deleteRoutes } from './deletes.ts';
import { type ExportDependencies, exportRoutes } from './export/routes.ts';
import { type LiveDependencies, liveRoutes } from './live/routes.ts';
import { backups, reader } from './operations.ts';
import type { PageDependencies } from './pages/page.ts';
import { pageRoutes } from './pages/routes.ts';

/** Pages, exports, streams and deletions. */
function readerRoutes(
  api: Api,
  dependencies: PageDependencies & ExportDependencies & DeleteDependencies & LiveDependencies,
): void {
  for (const format of messageFormats) {
    pageRoutes(api, format, dependencies);
    exportRoutes(api, format, dependencies);
    deleteRoutes(api, format, dependencies);
  }
  liveRoutes(api, dependencies);
}

/** Messages that are stored. */
export const messages = [
  { operations: [reader.senml, reader.json], routes: readerRoutes },
  { operations: [backups], routes: backupRoutes },
] as const;
