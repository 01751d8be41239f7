import fc from 'fast-check';
import { expect, it } from 'vitest';
import { malformed } from '../../codecs/rejected.ts';
import { Answers } from './answers.ts';

it('answers are written in the order of the messages, however those are settled', () => {
  const answers = new Answers();
  const written: string[] = [];
  const flush = () =>
    answers.flush((id, qos, refused) => written.push(`${id}/${qos}${refused ? ' refused' : ''}`));
  answers.add(7, 1);
  answers.add(9, 2);
  answers.add(8, 1);
  answers.refuse(1, 1, malformed('x'));
  flush();
  expect([written, answers.size, answers.isReady]).toEqual([[], 3, false]);
  answers.take(0, 0);
  flush();
  expect(written).toEqual(['7/1', '9/2 refused']);
  answers.take(2, 2);
  flush();
  expect([written.at(-1), answers.size]).toEqual(['8/1', 0]);
});

it('as many as are under way are kept, and each is answered once', () => {
  const bursts = fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 20 });
  fc.assert(
    fc.property(bursts, fc.integer({ min: 0, max: 60 }), (sizes, keep) => {
      const answers = new Answers();
      const written: number[] = [];
      let sent = 0;
      let settled = 0;
      for (const size of [...sizes, 0]) {
        for (let at = 0; at < size; at++) answers.add(sent++ & 0xffff, 1);
        const to = size === 0 ? sent - 1 : Math.max(settled - 1, sent - 1 - keep);
        answers.take(settled, to);
        settled = to + 1;
        answers.flush((id) => written.push(id));
      }
      expect(written).toEqual(Array.from({ length: sent }, (_, at) => at));
    }),
  );
});
