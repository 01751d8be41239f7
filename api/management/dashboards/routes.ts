import { problemOfContent } from '../../../schemas/dashboards/check.ts';
import type { DashboardContent } from '../../../schemas/dashboards/content.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { userOf } from '../../access/caller.ts';
import { handleLists } from '../../access/handle-lists.ts';
import { mustExist, present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import { dashboards } from './operations.ts';
import {
  deleteDashboard,
  findDashboard,
  findDashboards,
  findVersion,
  findVersions,
  insertDashboard,
  updateDashboard,
} from './sql.ts';

export function dashboardRoutes(api: Api, { db }: { db: Database }): void {
  for (const [of, operation] of [
    ['org', dashboards.createOrgDashboard],
    ['group', dashboards.createGroupDashboard],
  ] as const) {
    handle(api, operation, async (request, reply) => {
      const { params, body } = request;
      mustBeGood(body.content);
      const place = { of, id: params.id.toLowerCase() };
      const made = await insertDashboard(db, place, body, userOf(request));
      return reply.status(201).header('location', `/dashboards/${made.id}`).send(made);
    });
  }

  handleLists(
    api,
    [
      dashboards.listOrgDashboards,
      dashboards.searchOrgDashboards,
      dashboards.listGroupDashboards,
      dashboards.searchGroupDashboards,
    ],
    async (user, scope, query) => {
      const { total, rows } = await findDashboards(db, user, scope, query);
      return { ...envelope(query, total), dashboards: rows };
    },
  );

  handle(api, dashboards.viewDashboard, async ({ params }) =>
    present(await findDashboard(db, params.id), 'dashboard'),
  );

  handle(api, dashboards.updateDashboard, async (request) => {
    const { params, body } = request;
    if (body.content !== undefined) mustBeGood(body.content);
    return updateDashboard(db, params.id, body, userOf(request));
  });

  handle(api, dashboards.deleteDashboard, async ({ params }, reply) => {
    mustExist(await deleteDashboard(db, params.id), 'dashboard');
    return reply.status(204).send();
  });

  handle(api, dashboards.listDashboardVersions, async ({ params }) => ({
    versions: await findVersions(db, params.id),
  }));

  handle(api, dashboards.viewDashboardVersion, async ({ params }) =>
    present(await findVersion(db, params.id, Number(params.version)), 'version'),
  );
}

/** @throws DomainError `malformed` naming the member. */
function mustBeGood(content: DashboardContent): void {
  const problem = problemOfContent(content);
  if (problem !== undefined) throw new DomainError('malformed', `content.${problem}`);
}
