/** Longer than any name there is. */
const charsMax = 100;

/** Says that there is no such name, and which one may be meant. */
export function notKnown(given: string, known: readonly string[]): string {
  const name = given.slice(0, charsMax);
  if (known.length === 0) return `${name} is not known: there are none here`;
  const nearest = nearestTo(name, known);
  return nearest === undefined
    ? `${name} is not known; these are: ${known.join(', ')}`
    : `${name} is not known; did you mean ${nearest}?`;
}

/** The name in `known` that was most likely meant by `given`, if there is one. */
function nearestTo(given: string, known: Iterable<string>): string | undefined {
  const written = given.toLowerCase();
  let nearest: string | undefined;
  // A third of the letters may be wrong; in a short word one.
  let editsMax = Math.max(1, Math.floor(given.length / 3));
  for (const one of known) {
    const edits = editsBetween(written, one.toLowerCase());
    // After an edit, nothing is left of a word of one letter.
    if (edits > editsMax || edits >= Math.min(one.length, given.length)) continue;
    if (nearest === undefined || edits < editsMax) nearest = one;
    editsMax = edits;
  }
  return nearest;
}

/** The number of letters added, left out, changed, or swapped with their neighbour (optimal string alignment). */
function editsBetween(one: string, other: string): number {
  let [before, last]: [number[], number[]] = [
    [],
    Array.from({ length: other.length + 1 }, (_, j) => j),
  ];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (isSame ? 0 : 1),
        isSwap ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return at(last, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
