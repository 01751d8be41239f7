import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Type } from 'typebox';
import { budgetNames, budgetSettings, createBudgets } from './budgets.ts';
import { readSettings } from '../process/config.ts';

const settings = readFileSync(join(import.meta.dirname, '../../guide/settings.md'), 'utf8');

describe('the table of budgets', () => {
  it('stands in infra/guide/settings.md with every setting and its default', () => {
    const defaults = readSettings(Type.Object(budgetSettings), {});
    for (const [name, byDefault] of Object.entries(defaults)) {
      const row = settings.split('\n').find((line) => line.includes(`\`${name}\``));
      const told = row
        ?.split('|')[2]
        ?.split(', ')
        .map((text) => Number(text.replaceAll(',', '')));
      expect(told, name).toContain(byDefault);
    }
  });

  it('leaves a thread to verify tokens, however many passwords are hashed at once', () => {
    const read = (hashes: string) =>
      readSettings(Type.Object(budgetSettings), { PASSWORD_HASHES_MAX: hashes });
    expect(read('3')).toMatchObject({ PASSWORD_HASHES_MAX: 3 });
    expect(() => read('4')).toThrow('PASSWORD_HASHES_MAX');
  });

  it('gives every budget what the settings say', () => {
    const budgets = createBudgets({ EXPORTS_MAX: 1 });
    const user = { caller: 'user a', org: undefined, stranger: false };
    const lease = budgets.exports.take(user);
    expect(() => budgets.exports.take(user)).toThrow('too many requests');
    lease.release();
    for (const name of budgetNames) expect(budgets[name].stats().held).toBe(0);
  });
});
