import { randomUUID } from 'node:crypto';
import type { KeyKind, KeyVault } from '../../infra/secrets.ts';
import { includesRole, type Role } from '../../schemas/roles.ts';
import type { NewThing, Thing } from '../../schemas/thing.ts';
import { keysShowFrom } from '../permissions.ts';
import type { StoredKey, StoredThing, ThingToInsert } from './sql.ts';

/** A key as it goes into Postgres. */
export function store(vault: KeyVault, kind: KeyKind, key: string): StoredKey {
  return { lookup: vault.lookup(kind, key), sealed: vault.seal(key) };
}

/** A new thing with the key it gets, in the clear for its creator and sealed for Postgres. */
export function withKeys(vault: KeyVault, given: NewThing): { key: string; row: ThingToInsert } {
  const key = randomUUID();
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

/** A thing as someone with `role` may see it. */
export function shownTo(role: Role | null, vault: KeyVault, thing: StoredThing): Thing {
  const { keySealed, externalKeySealed, ...shown } = thing;
  if (role === null || !includesRole(role, keysShowFrom)) return shown;
  return {
    ...shown,
    key: vault.open(keySealed),
    ...(externalKeySealed === null ? {} : { external_key: vault.open(externalKeySealed) }),
  };
}
