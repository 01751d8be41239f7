/** Does the work for each item, so many at a time. */
export async function inParallel<Item>(
  width: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  const walk = async () => {
    for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: width }, walk));
}
