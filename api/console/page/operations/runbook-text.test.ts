import { expect, it } from 'vitest';
import { sectionOf } from './runbook-text.ts';

it('reads a section: its paragraphs, with what is strong and what is code, and the words of links', () => {
  const text =
    '# Runbooks\n\n## One\n\n- **Means**: a `b`\n  goes.\n- See [Two](#two).\n\n## Two\n\nMore.\n';
  expect(sectionOf(text, 'One')).toEqual([
    [
      { kind: 'strong', text: 'Means' },
      { kind: 'plain', text: ': a ' },
      { kind: 'code', text: 'b' },
      { kind: 'plain', text: ' goes.' },
    ],
    [{ kind: 'plain', text: 'See Two.' }],
  ]);
  expect(sectionOf(text, 'Three')).toBeUndefined();
});
