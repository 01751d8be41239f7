import { signal } from '@preact/signals';
import { call } from './call.ts';

/** The name of who is signed in, as a member of their own metadata; empty where they have told none. */
export const ownName = signal('');

/** Where it can't be read, the e-mail says who one is. */
export async function readOwnName(): Promise<void> {
  ownName.value = '';
  const { metadata } = await call('viewOwnUser', {}).catch(() => ({ metadata: undefined }));
  ownName.value = nameIn(metadata);
}

/**
 * All other metadata stays; an empty name takes it away.
 *
 * @throws ApiError, ConnectionError
 */
export async function saveOwnName(name: string): Promise<void> {
  const { metadata = {} } = await call('viewOwnUser', {});
  const { name: _before, ...others } = metadata;
  await call('updateOwnMetadata', {
    body: { metadata: name === '' ? others : { ...others, name } },
  });
  ownName.value = name;
}

/** Programs may keep anything under that member. */
function nameIn({ name }: Record<string, unknown> = {}): string {
  return typeof name === 'string' ? name : '';
}
