/** Who asks: a user by token or API key, or a thing by one of its keys. */
export type Credential = { scheme: 'Bearer' | 'Thing' | 'External'; value: string };

/** A key generated with the thing, or one that an external system knows it by. */
export type KeyType = 'internal' | 'external';

/** A thing by its key. */
export function thingCredential(type: KeyType, key: string): Credential {
  return { scheme: type === 'internal' ? 'Thing' : 'External', value: key };
}
