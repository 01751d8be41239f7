import { userOf } from '../../access/caller.ts';
import { scopeOf } from '../../access/reach.ts';
import { handle } from '../../http/handle.ts';
import type { Api } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import { overviews } from './operations.ts';
import { findOverview } from './sql.ts';

/** How things are, everywhere or in one place. */
export function overviewRoutes(api: Api, { db }: { db: Database }): void {
  const { viewOverview, viewOrgOverview, viewGroupOverview } = overviews;
  handle(api, viewOverview, async (request) => findOverview(db, userOf(request), { of: 'all' }));
  for (const operation of [viewOrgOverview, viewGroupOverview]) {
    handle(api, operation, async (request) =>
      findOverview(db, userOf(request), scopeOf(operation.needs, request.params)),
    );
  }
}
