import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loginAdmin } from '../support/api/people.ts';
import { system } from '../support/system.ts';
import { done, doneJson, newHome, run, start } from './running/millrace.ts';

describe('messages', () => {
  it('go into a backup, and come back from it; a cut one changes nothing', async () => {
    const token = (await loginAdmin()).replace('Bearer ', '');
    const home = newHome(system().apiUrl);
    const backup = start(home, ['messages', 'backup', token]);
    const chunks: Buffer[] = [];
    backup.child.stdout.removeAllListeners('data').setEncoding('latin1');
    backup.child.stdout.on('data', (text: string) => chunks.push(Buffer.from(text, 'latin1')));
    expect((await backup.ended).code).toBe(0);
    const file = Buffer.concat(chunks);
    writeFileSync(join(home.dir, 'whole'), file);
    writeFileSync(join(home.dir, 'cut'), file.subarray(0, file.length / 2));
    const count = async () =>
      Object(await doneJson(home, ['messages', 'read', 'senml', '-l', '1', token])).total;
    const before = await count();
    expect((await run(home, ['messages', 'restore', 'cut', token])).code).toBe(1);
    await done(home, ['messages', 'restore', 'whole', token]);
    expect(await count()).toBe(before);
  });
});
