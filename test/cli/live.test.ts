import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createEstate, createThings, type Estate, loginAdmin } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { done, newHome, start } from './running/millrace.ts';

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

  it('are sent to a URL of this machine as a webhook would, and of one group only', async () => {
    const home = newHome(system().apiUrl);
    const receiver = await openReceiver();
    onTestFinished(() => receiver.close());
    receiver.treat('/hook', (response) => response.writeHead(201).end());
    const elsewhere = await createEstate(`Bearer ${token}`);
    const [other = { id: '', key: '' }] = await createThings(
      `Bearer ${token}`,
      elsewhere.profileId,
      [{ name: randomUUID(), type: 'sensor' }],
    );
    const url = receiver.url('/hook');
    const command = ['listen', '--forward-to', url, '--group', estate.groupId, token];
    const listening = start(home, command);
    const name = randomUUID();
    const send = (key: string) =>
      done(home, ['messages', 'send', 'hall.3', `[{"n":"${name}","v":1}]`, 'internal', key]);
    await eventually(async () => {
      await send(other.key);
      await send(estate.key);
      return receiver.at('/hook').some(({ body }) => body.includes(name));
    }, 30_000);
    const [copy] = receiver.at('/hook').filter(({ body }) => body.includes(name));
    expect(JSON.parse(String(copy?.body))).toMatchObject([{ n: name, v: 1 }]);
    expect(copy?.headers).toMatchObject({
      'content-type': 'application/senml+json',
      'millrace-thing-id': estate.thingId,
      'millrace-subtopic': 'hall.3',
      'millrace-received-at': expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const things = receiver.at('/hook').map(({ headers }) => headers['millrace-thing-id']);
    expect(things).not.toContain(other.id);
    // What the test before sent may be stored only now, and comes too.
    const line = new RegExp(`^\\S+Z  ${estate.thingId}  hall.3  201  \\d+ ms$`, 'm');
    await eventually(() => expect(listening.output()).toMatch(line));
    // One that is moved into the group is of it from then on.
    await done(home, ['things', 'move', other.id, '--profile', estate.profileId, token]);
    await eventually(async () => {
      await send(other.key);
      return listening.output().includes(other.id);
    }, 30_000);
    await done(home, ['things', 'command', other.id, '--command', 'open', token]);
    const told = new RegExp(`^\\S+Z  ${other.id}  command open  queued$`, 'm');
    await eventually(() => expect(listening.output()).toMatch(told));
    listening.child.kill('SIGINT');
    await listening.ended;
  });
});
