/** The ids of a list in an answer; none where it was refused. */
export function createdIds(text: string, member: string): string[] {
  try {
    const list: unknown = Reflect.get(Object(JSON.parse(text)), member);
    return Array.isArray(list) ? list.map((one) => String(Reflect.get(Object(one), 'id'))) : [];
  } catch {
    return [];
  }
}

export const textOfBytes = (bytes: number): string => 'x'.repeat(bytes);

/** Numbers that take about so many bytes as a JSON array. */
export const numbersOfBytes = (bytes: number): number[] =>
  Array.from({ length: Math.floor(bytes / 7) }, (_, i) => 100_000 + (i % 900_000));
