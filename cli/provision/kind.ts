import type { Millrace } from '../client/client.ts';
import type { ParsedEntry } from './entry.ts';

/** Things or profiles: how a file tells them, and what is asked of the server. */
export type Kind<New, Shown extends { id: string; name: string }> = {
  what: 'things' | 'profiles';
  /** What they are made in: its column of the file. */
  parent: 'profile_id' | 'group_id';
  /** The columns of what is written. */
  columns: readonly string[];
  fromCells(line: number, cells: readonly string[], parentId: string | undefined): ParsedEntry<New>;
  fromObject(line: number, value: object, parentId: string | undefined): ParsedEntry<New>;
  /** The group in which names are unique: that of the parent. */
  groupOf(client: Millrace, parentId: string): Promise<string>;
  /** All of them or none. */
  create(client: Millrace, parentId: string, all: New[]): Promise<Shown[]>;
  view(client: Millrace, id: string): Promise<Shown>;
  parentOf(shown: Shown): string;
  /** What a group has under names like this. */
  findNamed(client: Millrace, groupId: string, name: string): Promise<Shown[]>;
  /** The id of what has something else that must be unique. */
  findOther(client: Millrace, entry: New): Promise<{ id: string; member: string } | undefined>;
};
