import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../api/http/operation.ts';
import { operations } from '../../api/server/resources.ts';
import { type Answer, at, call, json } from '../support/api/http.ts';
import {
  type CallerName,
  callerKind,
  callerNames,
  type PlaceName,
  reaches,
  roleAt,
} from './matrix/callers.ts';
import { contract, rightOf } from './matrix/contract.ts';
import { compareList } from './matrix/lists.ts';
import { outcomeOf } from './matrix/model.ts';
import { samples, stale } from './matrix/requests.ts';
import type { Sample } from './matrix/sample.ts';
import { createWorld, sign, type World } from './matrix/world.ts';
import { inParallel } from '../support/api/parallel.ts';

const atOnce = 16;

/** Who has accepted shares an org with the inviter from then on. */
const inOrder = operations.toSorted(
  (a, b) => Number(a.name === 'acceptInvite') - Number(b.name === 'acceptInvite'),
);

let world: World;
let before: unknown;

beforeAll(async () => {
  world = await createWorld();
  before = await standing();
});

afterAll(() => world.people.close());

/** Everything that stands at the places, as the platform admin sees it. */
async function standing(): Promise<unknown> {
  const { own, sibling, foreign } = world.places;
  const paths = [own, sibling, foreign].flatMap((place) => [
    `/orgs/${place.orgId}`,
    `/orgs/${place.orgId}/memberships?limit=200`,
    `/groups/${place.groupId}`,
    `/groups/${place.groupId}/memberships?limit=200`,
    `/profiles/${place.profileId}`,
    `/things/${place.thingId}`,
    `/groups/${place.treeId}`,
    `/groups/${place.treeId}/children?level=5`,
    `/groups/${place.treeId}/members?limit=200`,
    `/invites/${place.inviteId}`,
  ]);
  return Promise.all(
    paths.map(async (path) => {
      const answer = await call('GET', path, { as: world.admin });
      // When a thing was heard changes by itself.
      const { last_seen: _, ...body } = Object(json(answer));
      return { path, status: answer.status, body };
    }),
  );
}

type Cell = { caller: CallerName; place: PlaceName };

const isLong = process.env['LONG'] !== undefined;

/**
 * Who is refused for the credential is refused before the place is looked for: they are asked for one place, and in
 * `npm run test:faults` for all.
 */
function cellsOf({ places }: Sample): Cell[] {
  return callerNames.flatMap((caller) => {
    const isKnown = ['thing', 'token', 'apiKey'].includes(callerKind(caller).credential);
    const asked = isKnown || isLong ? places : places.slice(0, 1);
    return asked.map((place) => ({ caller, place }));
  });
}

/** Sends the request of a cell; gives what is wrong with what came. `answered` is told of what it was. */
async function attempt(
  operation: Operation,
  sample: Sample,
  cell: Cell,
  answered: (cell: Cell, answer: Answer) => void,
): Promise<string[]> {
  const { caller, place } = cell;
  const right = rightOf(operation.needs);
  const outcome = outcomeOf(right, sample.rule, caller, place);
  const stands = world.places[place];
  const target =
    outcome === 'allowed' && sample.fresh !== undefined
      ? await world.freshen(stands, sample.fresh)
      : stands;
  const as = world.credentials.get(caller);
  const answer = await call(sample.method, sample.path(target, world), {
    ...(as === undefined ? {} : { as }),
    ...(sample.body === undefined ? {} : { body: sample.body(target, world) }),
  });
  answered(cell, answer);
  const who = `${caller}, ${place}`;
  const wanted = outcome === 'allowed' ? sample.good : outcome;
  if (answer.status !== wanted && (outcome !== 'allowed' || answer.status !== sample.orElse)) {
    return [`${who}: ${answer.status} and not ${wanted}; ${answer.text.slice(0, 200)}`];
  }
  if (outcome !== 'allowed') {
    return typeof at(answer, 'error') === 'string' ? [] : [`${who}: no error in ${answer.text}`];
  }
  if (sample.lists === undefined) return [];
  const list = compareList(world, sample.lists, caller, place, answer.text);
  const total = sample.lists.what === 'user' ? list.wanted.length : Number(at(answer, 'total'));
  return list.found.join() === list.wanted.join() && total === list.wanted.length
    ? []
    : [`${who}: lists ${list.found.join()} (total ${total}) and not ${list.wanted.join()}`];
}

/** What is not told in the audit log though its method is not safe, and why. */
const changesNothing: Readonly<Record<string, string>> = {
  issueToken: 'a login leaves everything as it is; those that fail are told',
  identifyThing: 'it answers a question',
  pingWebhook: 'a message is sent, the webhook stays',
  replayWebhook: 'messages are sent again, the webhook stays; it is told where there are any',
  passToEdge: 'messages are counted, not told one by one',
  queryInflux_post: 'it reads',
  previewRule: 'it reads',
  previewProfile: 'it reads',
};

/** The sample's file has nothing to restore. */
const isTold = ({ name, audit }: Operation) =>
  (audit !== undefined && name !== 'restoreMessages') ||
  /^(backupMessages|export\w+Alarms)$/.test(name);

/** How many entries of the audit log each request has. */
async function countEntries(requestIds: string[]): Promise<ReadonlyMap<unknown, number>> {
  const rows = await world.people.rows(
    `SELECT request_id, count(*)::integer AS entries FROM audit_entries
     WHERE request_id = ANY ($1) GROUP BY request_id`,
    [requestIds],
  );
  return new Map(rows.map((row) => [row['request_id'], Number(row['entries'])]));
}

describe('the permission table', () => {
  it('is the contract’s', () => {
    const rows = operations.map(({ name, needs }) => [name, rightOf(needs)]);
    expect(Object.fromEntries(rows)).toEqual(contract);
  });

  it('has a sample request for every row, with the rule where the operation decides', () => {
    expect(stale).toEqual([]);
    const left = operations.filter(({ needs }) => /^user|^loggedIn/.test(needs.kind));
    expect(left.filter(({ name }) => samples[name]?.rule === undefined)).toEqual([]);
  });
});

describe('moving a thing', () => {
  const ways = [
    ['own', 'sibling'],
    ['sibling', 'own'],
    ['own', 'foreign'],
    ['foreign', 'own'],
  ] as const;

  it.each(ways)('from %s to %s needs an editor of both', async (from, to) => {
    const { profileId, groupId } = world.places[to];
    const wrong: unknown[] = [];
    const users = callerNames.filter((name) =>
      ['token', 'apiKey'].includes(callerKind(name).credential),
    );
    for (const caller of users) {
      const { thingId } = await world.freshen(world.places[from], 'thing');
      const may = (place: PlaceName) =>
        callerKind(caller).platformAdmin === true ||
        reaches(roleAt(caller, place, 'group'), 'editor');
      const answer = await call('PATCH', `/things/${thingId}`, {
        as: world.credentials.get(caller) ?? '',
        body: { profile_id: profileId, group_id: groupId },
      });
      const wanted = may(from) && may(to) ? 200 : 403;
      if (answer.status !== wanted) wrong.push([caller, answer.status, wanted]);
      const read = await call('GET', `/things/${thingId}`, { as: world.admin });
      const there = wanted === 200 ? groupId : world.places[from].groupId;
      if (at(read, 'group_id') !== there) wrong.push([caller, read.text]);
    }
    expect(wrong).toEqual([]);
  });
});

describe('inviting to a group with the org', () => {
  it('needs an admin of both', async () => {
    const { orgId, groupId } = world.places.own;
    const invite = (caller: CallerName) =>
      call('POST', `/orgs/${orgId}/invites`, {
        as: world.credentials.get(caller) ?? '',
        body: {
          email: world.newcomer.email,
          role: 'viewer',
          group_invites: [{ group_id: groupId, member_role: 'viewer' }],
        },
      });
    expect((await invite('org admin')).status).toBe(403);
    expect((await invite('group admin')).status).toBe(403);
    const path = `/orgs/${orgId}/invites?limit=200&email=${world.newcomer.email}`;
    expect(at(await call('GET', path, { as: world.admin }), 'total')).toBe(0);
  });
});

describe('in a hierarchical group', () => {
  const users = callerNames.filter((name) =>
    ['token', 'apiKey'].includes(callerKind(name).credential),
  );

  it.each(users)(
    '%s sees the e-mails of those they may see, and the keys they may',
    async (name) => {
      const { treeId, orgMember, thingId, key } = world.places.own;
      const { org, platformAdmin = false } = callerKind(name);
      const as = world.credentials.get(name) ?? '';

      const members = await call('GET', `/groups/users/${treeId}`, { as });
      const seesEmail = platformAdmin || org !== undefined;
      expect([members.text.includes(orgMember.id), members.text.includes(orgMember.email)]).toEqual(
        [true, seesEmail],
      );

      const things = await call('GET', `/groups/things/${treeId}`, { as });
      const seesKey = platformAdmin || reaches(roleAt(name, 'own', 'group'), 'editor');
      expect([things.text.includes(thingId), things.text.includes(key)]).toEqual([true, seesKey]);
    },
  );
});

describe('keys of things, in lists', () => {
  it.each(callerNames)('are shown to %s from editor up', async (name) => {
    const as = world.credentials.get(name);
    const { groupId, key } = world.places.own;
    const query = `limit=200&name=${world.mark}`;
    for (const path of [`/things?${query}`, `/groups/${groupId}/things?${query}`]) {
      const answer = await call('GET', path, as === undefined ? {} : { as });
      const { platformAdmin = false } = callerKind(name);
      const seesKey = platformAdmin || reaches(roleAt(name, 'own', 'group'), 'editor');
      expect([path, answer.text.includes(key)]).toEqual([path, seesKey]);
    }
  });
});

describe('every caller, everywhere', () => {
  it.each(inOrder)('$name', async (operation) => {
    const sample = samples[operation.name];
    if (sample === undefined) throw new Error(`no request for ${operation.name}`);
    const wrong: string[] = [];
    const entries: [cell: Cell, requestId: string, wanted: number][] = [];
    await inParallel(atOnce, cellsOf(sample), async (cell) => {
      const answered = (_: Cell, { status, headers }: Answer) => {
        // They have an entry for each org of the groups in reach: see their own tests.
        if (/^((delete|export)Messages_|exportAlarms$)/.test(operation.name)) return;
        const wanted = status < 300 && isTold(operation) ? 1 : 0;
        entries.push([cell, String(headers['x-request-id']), wanted]);
      };
      wrong.push(...(await attempt(operation, sample, cell, answered)));
    });
    expect(wrong).toEqual([]);
    const written = await countEntries(entries.map(([, requestId]) => requestId));
    const miscounted = entries.filter(([, id, wanted]) => (written.get(id) ?? 0) !== wanted);
    expect(miscounted).toEqual([]);
  });

  it('is in the audit log wherever an operation may change something', () => {
    const names = (some: readonly Operation[]) => some.map(({ name }) => name);
    const unsafe = operations.filter(({ name }) => samples[name]?.method !== 'GET');
    const searches = names(unsafe).filter((name) => name.startsWith('search'));
    const audited = names(operations.filter(({ audit }) => audit !== undefined));
    const told = [...audited, ...Object.keys(changesNothing), ...searches];
    expect(told.toSorted()).toEqual(names(unsafe).toSorted());
  });

  it('with a forged credential is refused for the credential', async () => {
    const as = `Bearer ${await sign(world.places.own.owner.id, 60)}`;
    const answer = await call('GET', `/orgs/${world.places.own.orgId}`, { as });
    expect(answer.status).toBe(200);
  });

  it('changes nothing without permission', async () => {
    expect(await standing()).toEqual(before);
  });
});
