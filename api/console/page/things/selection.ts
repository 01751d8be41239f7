import type { Thing } from '../client/call.ts';

/** Things that are chosen: some by their ids, with their names; or all that match the filters. */
export type Selection = { kind: 'some'; things: ReadonlyMap<string, string> } | { kind: 'all' };

export const nothing: Selection = { kind: 'some', things: new Map() };

export const isChosen = (selection: Selection, id: string): boolean =>
  selection.kind === 'all' || selection.things.has(id);

/** With one more, or without it. Of all that match, one is left out by beginning anew. */
export function toggled(selection: Selection, { id, name }: Pick<Thing, 'id' | 'name'>): Selection {
  if (selection.kind === 'all') return nothing;
  const things = new Map(selection.things);
  if (!things.delete(id)) things.set(id, name);
  return { kind: 'some', things };
}

/** With all of these, or with none if all were. */
export function toggledAll(
  selection: Selection,
  rows: readonly Pick<Thing, 'id' | 'name'>[],
): Selection {
  if (rows.every(({ id }) => isChosen(selection, id))) return nothing;
  return { kind: 'some', things: new Map(rows.map(({ id, name }) => [id, name])) };
}
