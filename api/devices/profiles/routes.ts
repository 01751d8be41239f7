import { randomUUID } from 'node:crypto';
import type { NewProfile, Profile } from '../../../schemas/resources/profile.ts';
import { userOf } from '../../access/caller.ts';
import { handleLists } from '../../access/handle-lists.ts';
import { mustExist, present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import { mustAgree } from './contradiction.ts';
import { profiles } from './operations.ts';
import { preview } from './preview.ts';
import {
  deleteProfile,
  deleteProfiles,
  findProfile,
  findProfileOfThing,
  findProfiles,
  insertProfiles,
  updateProfile,
} from './sql.ts';
import { mustReadTimes } from './times.ts';

type ProfileDependencies = { db: Database; announceKeyChanges: () => void };

export function profileRoutes(api: Api, dependencies: ProfileDependencies): void {
  addCreationAndReading(api, dependencies);
  addChanges(api, dependencies);
}

/** Creation, a profile, and lists of profiles. */
function addCreationAndReading(api: Api, { db }: ProfileDependencies): void {
  handle(api, profiles.createProfiles, async (request, reply) => {
    const groupId = request.params.id.toLowerCase();
    for (const [at, { config }] of request.body.entries()) {
      mustAgree(config, `${at}.config`);
      await mustReadTimes(config, `${at}.config`);
    }
    const made = request.body.map((profile) => complete(profile, groupId));
    await insertProfiles(db, groupId, made);
    const [only] = made;
    if (made.length === 1) reply.header('location', `/profiles/${only?.id}`);
    return reply.status(201).send({ profiles: made });
  });

  handle(api, profiles.previewProfile, (request) => {
    const { config, payload } = request.body;
    mustAgree(config, 'config');
    return preview(payload, config ?? {}, Date.now());
  });

  handle(api, profiles.viewProfile, async (request) =>
    present(await findProfile(db, request.params.id), 'profile'),
  );

  handle(api, profiles.viewThingProfile, async (request) =>
    present(await findProfileOfThing(db, request.params.id), 'profile'),
  );

  handleLists(
    api,
    [
      profiles.listProfiles,
      profiles.searchProfiles,
      profiles.listGroupProfiles,
      profiles.searchGroupProfiles,
      profiles.listOrgProfiles,
      profiles.searchOrgProfiles,
    ],
    async (user, scope, query) => {
      const { total, rows } = await findProfiles(db, user, scope, query);
      return { ...envelope(query, total), profiles: rows };
    },
  );
}

/** Changes and deletion. */
function addChanges(api: Api, { db, announceKeyChanges }: ProfileDependencies): void {
  handle(api, profiles.updateProfile, async (request, reply) => {
    const { id } = request.params;
    const { config } = request.body;
    mustAgree(config, 'config');
    await mustReadTimes(config, 'config', async () => (await findProfile(db, id))?.config);
    mustExist(await updateProfile(db, id, request.body), 'profile');
    announceKeyChanges();
    return reply.send();
  });

  handle(api, profiles.deleteProfile, async (request, reply) => {
    mustExist(await deleteProfile(db, request.params.id), 'profile');
    return reply.status(204).send();
  });

  handle(api, profiles.deleteProfiles, async (request, reply) => {
    await deleteProfiles(db, userOf(request), request.body.profile_ids);
    return reply.status(204).send();
  });
}

function complete(given: NewProfile, groupId: string): Profile {
  return {
    id: given.id?.toLowerCase() ?? randomUUID(),
    group_id: groupId,
    name: given.name,
    config: given.config ?? {},
    metadata: given.metadata ?? {},
  };
}
