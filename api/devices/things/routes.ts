import type { KeyVault } from '../../../infra/runtime/process/secrets.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { nextMessageSecondsMax } from '../../../schemas/resources/next-message.ts';
import { type AdmissionDependencies, readmit } from '../../access/admission.ts';
import { findCaller } from '../../access/authenticate.ts';
import { callerOf, spenderOf, userOf } from '../../access/caller.ts';
import { handleLists } from '../../access/handle-lists.ts';
import { mustExist, present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import { shownTo, store, withKeysEach } from './keys.ts';
import { findThings } from './list-sql.ts';
import { countMessagesSince, type MessagesSinceDependencies } from './messages-since.ts';
import { findMetadata, mergeMetadata } from './metadata-sql.ts';
import { moveThingFor } from './move.ts';
import type { NextMessages } from './next-messages.ts';
import { things } from './operations.ts';
import {
  deleteThing,
  deleteThings,
  findThing,
  insertThings,
  updateExternalKey,
  updateThing,
} from './sql.ts';
import { findValues } from './values.ts';

type ThingDependencies = AdmissionDependencies &
  MessagesSinceDependencies & {
    db: Database;
    vault: KeyVault;
    nextMessages: NextMessages;
    announceKeyChanges: () => void;
  };

export function thingRoutes(api: Api, dependencies: ThingDependencies): void {
  addCreation(api, dependencies);
  addReading(api, dependencies);
  addValues(api, dependencies);
  addNextMessage(api, dependencies);
  addChanges(api, dependencies);
  addDeletion(api, dependencies);
  addKeys(api, dependencies);
  addOwn(api, dependencies);
}

/** A batch of things of a profile. */
function addCreation(api: Api, { db, vault, announceKeyChanges }: ThingDependencies): void {
  handle(api, things.createThings, async (request, reply) => {
    const profileId = request.params.id.toLowerCase();
    const made = await withKeysEach(vault, request.body);
    const groupId = present(
      await insertThings(
        db,
        profileId,
        made.map(({ row }) => row),
      ),
      'profile',
    );
    announceKeyChanges();
    const answered = made.map(({ given, key, row }) => ({
      id: row.id,
      group_id: groupId,
      profile_id: profileId,
      name: row.name,
      type: row.type,
      key,
      ...(given.external_key === undefined ? {} : { external_key: given.external_key }),
      metadata: row.metadata,
      last_seen: null,
    }));
    return reply.status(201).send({ things: answered });
  });
}

/** A thing, and lists of things. */
function addReading(api: Api, dependencies: ThingDependencies): void {
  const { db, vault } = dependencies;
  handle(api, things.viewThing, async (request) =>
    shownTo(request.role, vault, present(await findThing(db, request.params.id), 'thing')),
  );

  handleLists(
    api,
    [
      things.listThings,
      things.searchThings,
      things.listOrgThings,
      things.searchOrgThings,
      things.listGroupThings,
      things.searchGroupThings,
      things.listProfileThings,
      things.searchProfileThings,
    ],
    async (user, scope, query, signal) => {
      const lookup = (key: string) => vault.lookup('external', key);
      const {
        total,
        isMore = false,
        rows,
        next,
      } = await findThings(db, user, scope, query, lookup);
      const ids = rows.map(({ thing }) => thing.id);
      const since = query.messages_since;
      const counts =
        since === undefined
          ? undefined
          : await countMessagesSince(dependencies, user, ids, since, signal);
      const shown = rows.map(({ thing, role }) => ({
        ...shownTo(role, vault, thing),
        ...(counts === undefined ? {} : { messages: counts.get(thing.id) ?? 0 }),
      }));
      return {
        ...envelope(query, total),
        ...(query.total_max === undefined ? {} : { total_is_least: isMore }),
        things: shown,
        ...(next === undefined ? {} : { next }),
      };
    },
  );
}

/** A message as it came. */
function addNextMessage(api: Api, dependencies: ThingDependencies): void {
  const { budgets, nextMessages } = dependencies;
  // Before the listener closes, which waits for requests.
  api.addHook('preClose', async () => nextMessages.stop());

  handle(api, things.awaitNextMessage, async (request) => {
    const { params, query, signal } = request;
    const { wait = nextMessageSecondsMax } = query;
    const lease = budgets.nextMessages.take(spenderOf(callerOf(request)));
    try {
      const message = await nextMessages.wait(params.id.toLowerCase(), wait, signal);
      // Its caller may have lost the right to it meanwhile.
      await readmit(dependencies, request);
      return { message: message ?? null };
    } finally {
      lease.release();
    }
  });
}

/** Values of several things at once. */
function addValues(api: Api, dependencies: ThingDependencies): void {
  handle(api, things.searchThingValues, async (request) => ({
    values: await findValues(dependencies, userOf(request), request.body, request.signal),
  }));
}

/** Changes of things, one and several. */
function addChanges(api: Api, { db, vault, announceKeyChanges }: ThingDependencies): void {
  handle(api, things.updateThingsMetadata, async (request, reply) => {
    mustDiffer(request.body.map(({ id }) => id.toLowerCase()));
    await mergeMetadata(db, userOf(request), request.body);
    return reply.send();
  });

  handle(api, things.updateThing, async (request, reply) => {
    const { name, type, key, metadata } = request.body;
    const change = {
      name,
      type,
      key: key === undefined ? undefined : store(vault, 'internal', key),
      metadata: metadata === null ? {} : metadata,
    };
    mustExist(await updateThing(db, request.params.id, change), 'thing');
    announceKeyChanges();
    return reply.send();
  });

  handle(api, things.moveThing, async (request, reply) => {
    await moveThingFor(db, userOf(request), request.params.id, request.body);
    announceKeyChanges();
    return reply.send();
  });
}

/** Deletion, of one and of several. */
function addDeletion(api: Api, { db, announceKeyChanges }: ThingDependencies): void {
  handle(api, things.deleteThing, async (request, reply) => {
    mustExist(await deleteThing(db, request.params.id), 'thing');
    announceKeyChanges();
    return reply.status(204).send();
  });

  handle(api, things.deleteThings, async (request, reply) => {
    await deleteThings(db, userOf(request), request.body.thing_ids);
    announceKeyChanges();
    return reply.status(204).send();
  });
}

/** External keys, and the routes for things. */
function addKeys(api: Api, dependencies: ThingDependencies): void {
  const { db, vault, announceKeyChanges } = dependencies;

  handle(api, things.setExternalKey, async (request, reply) => {
    const key = store(vault, 'external', request.body.key);
    mustExist(await updateExternalKey(db, request.params.id, key), 'thing');
    announceKeyChanges();
    return reply.status(201).send();
  });

  handle(api, things.removeExternalKey, async (request, reply) => {
    mustExist(await updateExternalKey(db, request.params.id, undefined), 'thing');
    announceKeyChanges();
    return reply.status(204).send();
  });
}

/** The metadata that a thing reads itself, and the thing that has a key. */
function addOwn(api: Api, dependencies: ThingDependencies): void {
  const { db, vault } = dependencies;

  handle(api, things.viewOwnMetadata, async (request) =>
    present(await findMetadata(db, callerOf(request).id), 'thing'),
  );

  handle(api, things.identifyThing, async (request) => {
    const { type: keyKind, key } = request.body;
    const credential = { kind: 'thingKey', keyKind, lookup: vault.lookup(keyKind, key) } as const;
    const thing = await findCaller(dependencies, credential, request.clientAddress);
    if (typeof thing === 'string') throw new DomainError('not_found', 'thing');
    const { id } = thing;
    return { id };
  });
}

/** @throws DomainError `malformed` if one is given twice. */
function mustDiffer(ids: string[]): void {
  if (new Set(ids).size < ids.length) throw new DomainError('malformed', 'id is given twice');
}
