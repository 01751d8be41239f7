import { messageFormats } from '../../schemas/messages/tables.ts';
import type { Api } from '../http/schemas.ts';
import { type DeleteDependencies, deleteRoutes } from './deletes.ts';
import { type ExportDependencies, exportRoutes } from './export/routes.ts';
import type { PageDependencies } from './pages/page.ts';
import { pageRoutes } from './pages/routes.ts';

/** Pages, exports and deletions of messages. */
export function readerRoutes(
  api: Api,
  dependencies: PageDependencies & ExportDependencies & DeleteDependencies,
): void {
  for (const format of messageFormats) {
    pageRoutes(api, format, dependencies);
    exportRoutes(api, format, dependencies);
    deleteRoutes(api, format, dependencies);
  }
}
