import type { Millrace } from '../../schemas/client/client.ts';
import type { ParsedEntry } from './entry.ts';

/** Things or profiles: their columns in a file, and their requests to the server. */
export type Kind<New, Shown extends { id: string; name: string }> = {
  what: 'things' | 'profiles';
  one: 'thing' | 'profile';
  /** The parent they are created in: its column of the file. */
  parent: 'profile_id' | 'group_id';
  /** The columns of a CSV file that have names, in their order. */
  cells: readonly string[];
  /** The columns of the output. */
  columns: readonly string[];
  fromCells(line: number, cells: readonly string[], parentId: string | undefined): ParsedEntry<New>;
  fromObject(line: number, value: object, parentId: string | undefined): ParsedEntry<New>;
  /** The group in which names are unique: that of the parent. */
  groupOf(client: Millrace, parentId: string): Promise<string>;
  /** Creates all of them or none. */
  create(client: Millrace, parentId: string, all: New[]): Promise<Shown[]>;
  view(client: Millrace, id: string): Promise<Shown>;
  parentOf(shown: Shown): string;
  /** Those of a group with a name like this. */
  findNamed(client: Millrace, groupId: string, name: string): Promise<Shown[]>;
  /** The id of the one that has another unique member, such as a key. */
  findOther(client: Millrace, entry: New): Promise<{ id: string; member: string } | undefined>;
};
