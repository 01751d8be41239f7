import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';
import { openReceiver, type Receiver } from './receiver.ts';

let receiver: Receiver;
let fleet: Fleet;

beforeAll(async () => {
  receiver = await openReceiver();
  fleet = await Fleet.login(system());
});

afterAll(async () => {
  await fleet.close();
  await receiver.close();
});

describe('a webhook that gets no messages', () => {
  it('is sent none until it is changed, beside one that is', async () => {
    const thing = await fleet.thing();
    const { body } = await fleet.call('POST', `/svcwebhooks/things/${thing.id}/webhooks`, [
      { name: 'notices', url: receiver.url('/notices'), messages: false },
      { name: 'all', url: receiver.url('/all') },
    ]);
    const [notices] = Object(body);
    expect(Object(body).map(({ messages }: { messages?: boolean }) => messages)).toEqual([
      false,
      undefined,
    ]);
    await eventually(async () => {
      await fleet.publish(thing.key, [{ n: 'a', v: 1 }]);
      return receiver.at('/all').length > 0;
    });
    expect(receiver.at('/notices')).toEqual([]);
    await fleet.call('PUT', `/webhooks/${notices.id}`, { messages: true });
    await eventually(async () => {
      await fleet.publish(thing.key, [{ n: 'a', v: 2 }]);
      return receiver.at('/notices').length > 0;
    });
  });
});
