import { describe, expect, it } from 'vitest';
import { SharedAnswers } from './shared-answers.ts';

/** Each question is answered with the role of when it was asked, once it is told to. */
function slowly() {
  const shared = new SharedAnswers<string>();
  const questions: PromiseWithResolvers<void>[] = [];
  const state = { role: 'viewer' };
  const ask = (user = 'u1') =>
    shared.ask(user, async () => {
      const { role } = state;
      const question = Promise.withResolvers<void>();
      questions.push(question);
      await question.promise;
      return role;
    });
  const asked = async (count: number) => {
    while (questions.length < count) await new Promise(setImmediate);
    expect(questions).toHaveLength(count);
  };
  return { ask, state, questions, asked };
}

describe('answers that are shared', () => {
  it('are looked up once for all who ask while the same is under way, after it', async () => {
    const { ask, state, questions, asked } = slowly();
    const first = ask();
    state.role = 'owner';
    const others = Array.from({ length: 100 }, () => ask());
    await asked(1);
    questions[0]?.resolve();
    expect(await first).toBe('viewer');
    await asked(2);
    questions[1]?.resolve();
    // They asked after the change.
    for (const other of others) expect(await other).toBe('owner');
    const later = ask();
    await asked(3);
    questions[2]?.resolve();
    expect(await later).toBe('owner');
  });

  it('wait for nobody who asks something else', async () => {
    const { ask, questions, asked } = slowly();
    const both = [ask('u1'), ask('u2')];
    await asked(2);
    for (const question of questions) question.resolve();
    expect(await Promise.all(both)).toEqual(['viewer', 'viewer']);
  });

  it('fail for who asked while they failed, and are looked up again for who came later', async () => {
    const { ask, questions, asked } = slowly();
    const [first, second] = [ask(), ask()];
    questions[0]?.reject(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await asked(2);
    questions[1]?.resolve();
    expect(await second).toBe('viewer');
  });
});
