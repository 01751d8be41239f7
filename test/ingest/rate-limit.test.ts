import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Fleet } from '../fleet.ts';
import { type OwnSystem, startSystem } from '../system.ts';

let system: OwnSystem;
let fleet: Fleet;
let failed = false;

beforeAll(async () => {
  system = await startSystem({ env: { THING_RATE_LIMIT: '1' } });
  fleet = await Fleet.login(system);
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await fleet.close();
  await system.stop(failed);
});

async function send(authorization: string): Promise<Response> {
  return fetch(`${system.ingestUrl}/http/messages`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/senml+json' },
    body: JSON.stringify([{ n: 'a', v: 1 }]),
  });
}

/** Sends until one is refused; how many were taken before it. */
async function sendAllowed(authorization: string) {
  for (let taken = 0; ; taken++) {
    const answer = await send(authorization);
    if (answer.status !== 202) return { taken, refused: answer };
  }
}

describe('THING_RATE_LIMIT', () => {
  it('a thing that sends more gets 429 with Retry-After, and others are not touched', async () => {
    const [busy, other] = [await fleet.thing(), await fleet.thing()];
    const { taken, refused } = await sendAllowed(`Thing ${busy.key}`);
    expect(taken).toBeGreaterThanOrEqual(1);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.text()).toContain('messages of this thing');
    expect((await send(`Thing ${other.key}`)).status).toBe(202);
  });

  it('what is refused once is taken after Retry-After', async () => {
    const { key } = await fleet.thing();
    await sendAllowed(`Thing ${key}`);
    await delay(1_000);
    expect((await send(`Thing ${key}`)).status).toBe(202);
  });

  it('is one for its key and its external key', async () => {
    const external = `meter-${Date.now()}`;
    const { key } = await fleet.thing({}, external);
    expect((await send(`External ${external}`)).status).toBe(202);
    expect((await sendAllowed(`Thing ${key}`)).taken).toBe(0);
  });

  it('another spelling of the same credential is no way around it', async () => {
    const { key } = await fleet.thing();
    await sendAllowed(`Thing ${key}`);
    expect((await send(`THING  ${key}`)).status).toBe(429);
  });
});
