import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { readIfThere, replaceFile } from './files.ts';
import type { Position } from './format.ts';

/**
 * How far a sink has delivered, the number of the batch that it sends now or next, and where that batch
 * ends once it was begun. A batch that was under way at a crash is sent again with the same boundaries.
 * `stored`: if a batch was refused and is sent in parts, the part that the store has already.
 */
export type Cursor = {
  position: Position;
  batch: number;
  sendingTo: number | undefined;
  stored?: StoredPart | undefined;
};

/** The partitions that the store has of all up to `to`, in the cursor's segment. */
export type StoredPart = { to: number; partitions: readonly string[] };

const CursorFile = Type.Object({
  segment: Type.Integer({ minimum: 0 }),
  offset: Type.Integer({ minimum: 0 }),
  batch: Type.Integer({ minimum: 1 }),
  sendingTo: Type.Optional(Type.Integer({ minimum: 0 })),
  stored: Type.Optional(
    Type.Object({ to: Type.Integer({ minimum: 0 }), partitions: Type.Array(Type.String()) }),
  ),
});

/** The cursor in `path`, or undefined if there is none yet. @throws on a file that is no cursor. */
export async function readCursor(path: string): Promise<Cursor | undefined> {
  const text = await readIfThere(path);
  return text === undefined ? undefined : parseCursor(JSON.parse(text));
}

/** What `parseCursor` takes. */
export const cursorFile = ({ position, batch, sendingTo, stored }: Cursor): object => ({
  ...position,
  batch,
  sendingTo,
  stored,
});

/** @throws on a value that is no cursor. */
export function parseCursor(value: unknown): Cursor {
  const { segment, offset, batch, sendingTo, stored } = Value.Parse(CursorFile, value);
  return { position: { segment, offset }, batch, sendingTo, stored };
}

const PositionFile = Type.Object({
  segment: Type.Integer({ minimum: 0 }),
  offset: Type.Integer({ minimum: 0 }),
});

/** The position alone, which every sink's cursor has. @throws on a file that is no cursor. */
export async function readPosition(path: string): Promise<Position | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const { segment, offset } = Value.Parse(PositionFile, JSON.parse(text));
  return { segment, offset };
}

/** A cursor that is nothing but a position. It is on the disk, whole, when this resolves. */
export async function writePosition(path: string, position: Position): Promise<void> {
  await replaceFile(path, `${JSON.stringify(position)}\n`);
}
