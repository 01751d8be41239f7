import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBudgets, table } from './budgets.ts';

const settings = readFileSync(join(import.meta.dirname, '../../infra/guide/settings.md'), 'utf8');

const user = { caller: 'user a', org: undefined, stranger: false };

describe('the table of budgets', () => {
  it('stands in infra/guide/settings.md', () => {
    const rows = Object.values(table).map(({ what, max, perOrgMax, perCallerMax }) => {
      const limits = [max, perOrgMax, perCallerMax].map((limit) => limit.toLocaleString('en'));
      return `| ${what} | ${limits.join(' | ')} |`;
    });
    expect(rows.filter((row) => !settings.includes(row))).toEqual([]);
  });

  it('leaves a thread to verify tokens, however many passwords are hashed at once', () => {
    const { passwordHashes } = createBudgets(100);
    for (let held = 0; held < 3; held += 1)
      passwordHashes.take({ ...user, caller: `user ${held}` });
    expect(() => passwordHashes.take(user)).toThrow(
      expect.objectContaining({ code: 'unavailable' }),
    );
  });

  it('grows and shrinks as a whole, and leaves no budget without a place', () => {
    const [large, small] = [createBudgets(2), createBudgets(0.1)];
    for (let held = 0; held < 4; held += 1) large.exports.take(user);
    expect(() => large.exports.take(user)).toThrow('too many requests');
    small.largePages.take(user);
    expect(() => small.largePages.take(user)).toThrow('too many requests');
  });

  it('gives way to what a test wants of one budget', () => {
    const budgets = createBudgets(1, { exports: { max: 1 } });
    const lease = budgets.exports.take(user);
    expect(() => budgets.exports.take(user)).toThrow('too many requests');
    lease.release();
    for (const budget of Object.values(budgets)) expect(budget.stats().held).toBe(0);
  });
});
