const lengthMin = 131_072;

/**
 * By which memory grows that is kept: what is not written to takes no room, while a smaller one stays until its thread
 * collects garbage, which is seldom.
 */
export const growth = 4;

/** The array, or a larger one with the same numbers in it. */
export function roomFor(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (array.length >= length) return array;
  const larger = new Int32Array(Math.max(lengthMin, length, array.length * growth));
  larger.set(array);
  return larger;
}
