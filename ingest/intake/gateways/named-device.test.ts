import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutLevel, deviceOfName } from './named-device.ts';

const level = fc.stringMatching(/^[^./]+$/, { maxLength: 8 });

it('a level is cut out of a subtopic, and the others stay', () => {
  const levels = fc.array(level, { maxLength: 6 });
  fc.assert(
    fc.property(levels, level, levels, (before, name, after) => {
      const subtopic = [...before, name, ...after].join('.');
      const rest = [...before, ...after].join('.');
      expect(cutLevel(subtopic, before.length + 1)).toEqual({ name, subtopic: rest });
      const count = before.length + after.length + 1;
      expect(cutLevel(subtopic, count + 1)).toBeUndefined();
    }),
  );
  expect(cutLevel('', 1)).toBeUndefined();
});

it('a name is the end of an external key, which has 5 to 1,024 characters', () => {
  expect(deviceOfName('lamp', '', {})).toMatchObject({
    code: 'malformed',
    detail:
      'device "lamp": with key_prefix it must have 5 to 1024 characters, as external keys have',
  });
  expect(deviceOfName('x'.repeat(1_025), '', {})).toMatchObject({ code: 'malformed' });
  const named = deviceOfName('lamp', 'a', { key_prefix: 'z-' });
  expect(named).toMatchObject({ kind: 'named', name: 'lamp', subtopic: 'a' });
  expect(named.kind === 'named' && named.credential.key).toBe('z-lamp');
});
