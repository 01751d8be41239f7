import { Where } from '../../messages/query/where.ts';
import type { Store } from '../../messages/store/store.ts';
import { textRows } from './look.ts';

/** Those of the texts that match. ClickHouse looks, because it has the patterns' grammar, and their time is bounded. */
export async function matching(
  store: Store,
  texts: readonly string[],
  pattern: string,
): Promise<ReadonlySet<string>> {
  const where = new Where();
  const [all, bound] = [where.bind('Array(String)', texts), where.bind('String', pattern)];
  const found = await store.text(
    `SELECT toJSONString(arrayFilter(one -> match(one, ${bound}), ${all}))`,
    where.bound,
  );
  return new Set(textRows(found).flat());
}
