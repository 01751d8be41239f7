import { DomainError } from '../../../schemas/http/errors.ts';
import { activeRule } from '../../../infra/runtime/alarms/rule.ts';
import { callerOf, userOf } from '../../access/caller.ts';
import type { Budgets } from '../../budgets/budgets.ts';
import { present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { pathIdOf } from '../../http/path-id.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';
import { openStore, type StoreDependencies, takeTurn } from '../../messages/store/store.ts';
import type { Database } from '../../stores/database.ts';
import { changeRule, removeRule } from './change.ts';
import { rules } from './operations.ts';
import { preview } from './preview.ts';
import { mustBeGood, mustBeOf, onlyOnce, shownTo, toInsert } from './rule.ts';
import { findInScope } from './scope-sql.ts';
import { findReceivers, findRule, findRules, insertRule, setReceivers } from './sql.ts';

type RuleDependencies = StoreDependencies & {
  db: Database;
  budgets: Budgets;
  announceKeyChanges: () => void;
};

export function ruleRoutes(api: Api, dependencies: RuleDependencies): void {
  addCreationAndReading(api, dependencies);
  addChanges(api, dependencies);
  addReceivers(api, dependencies);
  addPreview(api, dependencies);
}

/** Creation, a rule, and lists of rules. */
function addCreationAndReading(api: Api, { db, announceKeyChanges }: RuleDependencies): void {
  handle(api, rules.createRule, async (request, reply) => {
    const rule = toInsert(request.params.id.toLowerCase(), request.body);
    const made = await db.transaction(async (work) => {
      await mustBeGood(work, rule, request.body);
      await insertRule(work, rule);
      return present(await findRule(work, rule.id), 'rule');
    });
    announceKeyChanges();
    reply.header('location', `/rules/${made.id}`);
    return reply.status(201).send(shownTo(request.role, made));
  });

  handle(api, rules.viewRule, async ({ params, role }) =>
    shownTo(role, present(await findRule(db, params.id), 'rule')),
  );

  for (const [of, operation] of [
    ['group', rules.listGroupRules],
    ['thing', rules.listThingRules],
    ['org', rules.listOrgRules],
    ['all', rules.listRules],
  ] as const) {
    handle(api, operation, async (request) => {
      const { params, query } = request;
      const place = of === 'all' ? { of } : { of, id: pathIdOf(params) };
      const { total, rows } = await findRules(db, userOf(request), place, query);
      return {
        ...envelope(query, total),
        rules: rows.map(({ role, ...row }) => shownTo(role, row)),
      };
    });
  }
}

/** Changes and deletion. */
function addChanges(api: Api, { db, announceKeyChanges }: RuleDependencies): void {
  handle(api, rules.updateRule, async (request, reply) => {
    await changeRule(db, request.params.id.toLowerCase(), request.body);
    announceKeyChanges();
    return reply.send();
  });

  handle(api, rules.deleteRule, async (request, reply) => {
    await removeRule(db, request.params.id.toLowerCase());
    announceKeyChanges();
    return reply.status(204).send();
  });
}

/** Who hears of alarms whose rule names nobody. */
function addReceivers(api: Api, { db }: RuleDependencies): void {
  for (const [of, view, set] of [
    ['group', rules.viewGroupReceivers, rules.setGroupReceivers],
    ['org', rules.viewOrgReceivers, rules.setOrgReceivers],
  ] as const) {
    handle(api, view, async ({ params }) => findReceivers(db, { of, id: params.id }));

    handle(api, set, async ({ params, body }, reply) => {
      const place = { of, id: params.id.toLowerCase() };
      const receivers = body.receivers === null ? null : onlyOnce(body.receivers);
      await db.transaction(async (work) => {
        await mustBeOf(work, place, { receivers });
        await setReceivers(work, place, receivers);
      });
      return reply.send();
    });
  }
}

/** A rule that is not saved, on what is stored. */
function addPreview(api: Api, dependencies: RuleDependencies): void {
  const { db, budgets } = dependencies;
  handle(api, rules.previewRule, async (request) => {
    const { days = limits.previewDaysDefault, ...given } = request.body;
    const groupId = request.params.id.toLowerCase();
    const stored = toInsert(groupId, { ...given, name: 'preview' });
    await mustBeGood(db, stored, given);
    const { profile_id: profileId, thing_ids: thingIds } = stored;
    const things = await findInScope(db, { groupId, profileId, thingIds }, limits.previewThingsMax);
    const rule = activeRule({ ...stored, receivers: {} });
    if (rule === undefined) throw new DomainError('malformed', 'conditions');
    const toUs = Date.now() * 1_000;
    const range = { fromUs: toUs - days * usPerDay, toUs };
    const lease = await takeTurn(budgets.reads, callerOf(request), request.signal);
    try {
      return await preview(openStore(dependencies, request.signal), rule, things, range);
    } finally {
      lease.release();
    }
  });
}

const usPerDay = 86_400_000_000;
