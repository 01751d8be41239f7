import type { Budgets } from '../../budgets/budgets.ts';
import { callerOf } from '../../access/caller.ts';
import { present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import type { Api } from '../../http/schemas.ts';
import { countMessages } from '../../messages/pages/sql.ts';
import { whereOf } from '../../messages/query/conditions.ts';
import { openStore, type StoreDependencies, takeTurnFor } from '../../messages/store/store.ts';
import type { Database } from '../../stores/database.ts';
import { quotas } from './operations.ts';
import { findGroupsOfOrg, findUsage, setQuota } from './sql.ts';

type QuotaDependencies = StoreDependencies & { db: Database; budgets: Budgets };

/** The quota of an org, and its usage. */
export function quotaRoutes(api: Api, dependencies: QuotaDependencies): void {
  const { db, budgets } = dependencies;

  handle(api, quotas.setOrgQuota, async (request, reply) => {
    await setQuota(db, request.params.id, request.body);
    return reply.send();
  });

  handle(api, quotas.viewOrgUsage, async (request, reply) => {
    const { id } = request.params;
    const groups = await findGroupsOfOrg(db, id);
    await takeTurnFor(reply.raw, budgets.reads, callerOf(request), request.signal);
    const store = openStore(dependencies, request.signal);
    const within = { kind: 'groups', groups } as const;
    // Each takes a while where there are a million things.
    const [usage, ...stored] = await Promise.all([
      findUsage(db, id),
      countMessages(store, 'senml', whereOf('senml', {}, within)),
      countMessages(store, 'json', whereOf('json', {}, within)),
    ]);
    return { ...present(usage, 'org'), stored_records: Number(stored[0]) + Number(stored[1]) };
  });
}
