import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEstate, type Estate, loginAdmin } from '../api/people.ts';
import { eventually } from '../eventually.ts';
import { system } from '../system.ts';
import { done, newHome, start } from './millrace.ts';

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
});
