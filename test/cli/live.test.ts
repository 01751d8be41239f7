import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEstate, type Estate, loginAdmin } from '../api/people.ts';
import { eventually } from '../eventually.ts';
import { system } from '../system.ts';
import { done, doneJson, newHome, run, start } from './millrace.ts';

let token: string;
let estate: Estate;

beforeAll(async () => {
  const as = await loginAdmin();
  token = as.replace('Bearer ', '');
  estate = await createEstate(as);
});

describe('messages', () => {
  it('are followed as they come, one JSON object to a line', async () => {
    const home = newHome(system().apiUrl);
    const tail = start(home, ['messages', 'tail', 'senml', '--publisher', estate.thingId, token]);
    const name = randomUUID();
    // Sent until the first one is seen: only then is it known that somebody listens.
    await eventually(async () => {
      await done(home, ['messages', 'send', `[{"n":"${name}","v":1}]`, 'internal', estate.key]);
      return tail.output().includes(name);
    }, 30_000);
    const [line = ''] = tail.output().split('\n');
    expect(JSON.parse(line)).toMatchObject({ publisher: estate.thingId, name, value: 1 });
    tail.child.kill('SIGINT');
    await tail.ended;
  });

  it('go into a backup, and come back from it; a cut one changes nothing', async () => {
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
