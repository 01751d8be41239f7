import { AsyncLocalStorage } from 'node:async_hooks';

/** Who changes something, for the entry that the audit log gets of it: as PostgreSQL's triggers read it. */
export type Author = {
  /** The kind whose entries tell of the operation. */
  kind: string;
  operation: string;
  actor_type: 'user' | 'thing' | 'guest';
  actor_id?: string;
  actor_email?: string;
  api_key_id?: string;
  address: string;
  request_id: string;
};

const current = new AsyncLocalStorage<Author>();

/** All that `work` changes, however late, is changed by this author; without one, by the system. */
export function changeAs(author: Author | undefined, work: () => void): void {
  if (author === undefined) work();
  else current.run(author, work);
}

export function currentAuthor(): Author | undefined {
  return current.getStore();
}
