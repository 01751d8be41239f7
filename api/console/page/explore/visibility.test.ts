import { describe, expect, it } from 'vitest';
import { isolated, toggled } from './visibility.ts';

const thing = 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b';
const all = ['a', 'b', 'c'].map((name) => ({ format: 'senml' as const, thing, name }));
const hiddenIn = (series: readonly { name: string; isHidden?: true }[]) =>
  series.flatMap(({ name, isHidden }) => (isHidden === true ? [name] : []));

describe('series in a legend', () => {
  it('are hidden and shown one by one', () => {
    const one = toggled(all, 1);
    expect(hiddenIn(one)).toEqual(['b']);
    expect(toggled(one, 1)).toEqual(all);
  });

  it('are isolated, and all shown again by the same', () => {
    const one = isolated(toggled(all, 1), 1);
    expect(hiddenIn(one)).toEqual(['a', 'c']);
    expect(isolated(one, 1)).toEqual(all);
  });
});
