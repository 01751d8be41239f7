import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { KeyKind, KeyVault } from '../../../infra/runtime/process/secrets.ts';
import { includesRole, type Role } from '../../../schemas/roles.ts';
import type { NewThing, Thing } from '../../../schemas/resources/thing.ts';
import { keysShowFrom } from '../../access/authorize.ts';
import type { StoredKey, StoredThing, ThingToInsert } from './sql.ts';

/** A key as it goes into Postgres. */
export function store(vault: KeyVault, kind: KeyKind, key: string): StoredKey {
  return { lookup: vault.lookup(kind, key), sealed: vault.seal(key) };
}

/** A new thing with the key it gets, in the clear for its creator and sealed for Postgres. */
function withKeys(vault: KeyVault, given: NewThing): { key: string; row: ThingToInsert } {
  // An empty key counts as none.
  const key = given.key || randomUUID();
  const { external_key: externalKey } = given;
  return {
    key,
    row: {
      id: given.id?.toLowerCase() ?? randomUUID(),
      name: given.name,
      type: given.type,
      key: store(vault, 'internal', key),
      externalKey: externalKey === undefined ? undefined : store(vault, 'external', externalKey),
      metadata: given.metadata ?? {},
    },
  };
}

/** After this many keys, other requests have their turn: each key takes some microseconds. */
const keysAtOnce = 500;

type ThingToMake = ReturnType<typeof withKeys> & { given: NewThing };

/** New things with their keys, in their order. */
export async function withKeysEach(
  vault: KeyVault,
  things: readonly NewThing[],
): Promise<ThingToMake[]> {
  const made: ThingToMake[] = [];
  for (const given of things) {
    if (made.length % keysAtOnce === keysAtOnce - 1) await setImmediate();
    made.push({ given, ...withKeys(vault, given) });
  }
  return made;
}

/** A thing as a caller with `role` may see it. */
export function shownTo(role: Role | null, vault: KeyVault, thing: StoredThing): Thing {
  const { keySealed, externalKeySealed, ...shown } = thing;
  if (role === null || !includesRole(role, keysShowFrom)) return shown;
  return {
    ...shown,
    key: vault.open(keySealed),
    ...(externalKeySealed === null ? {} : { external_key: vault.open(externalKeySealed) }),
  };
}
