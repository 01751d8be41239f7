import { expect, it } from 'vitest';
import { panelNames } from './labels.ts';

it('panels of the same title, or without one, have names of their own', () => {
  const titles = ['Hall', '', 'hall', 'Hall (2)', ''];
  const panels = titles.map((title, at) => ({ id: String(at), title }));
  expect([...panelNames(panels).values()]).toEqual([
    'Hall',
    'Panel',
    'hall (2)',
    'Hall (2) (2)',
    'Panel (2)',
  ]);
});
