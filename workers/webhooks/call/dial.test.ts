import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAddressesAllowed } from '../../../infra/runtime/network/addresses-allowed.ts';
import { privateAddresses, privateHosts } from '../../../test/webhooks/private-addresses.ts';
import { openNameServer } from '../../../test/support/services/name-server.ts';
import { answers, openReceiver, type Receiver } from '../../../test/webhooks/receiver.ts';
import { type HttpClient, type CallResult, createHttpClient } from './call.ts';
import { createAgent } from './dial.ts';
import { createResolve } from './resolve.ts';

/** Listens on everything this machine has: whoever connects has broken out. */
let canary: Server;
let port: number;
let touched = 0;

beforeAll(async () => {
  canary = createServer((socket) => {
    touched += 1;
    socket.destroy();
  });
  canary.listen(0, '::');
  await once(canary, 'listening');
  const address = canary.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterAll(() => {
  canary.close();
});

/** A client whose names resolve to what `resolve` says. */
async function withClient(
  allow: string,
  resolve: (hostname: string) => string[] | Promise<string[]>,
  use: (client: HttpClient) => Promise<void>,
): Promise<void> {
  const allowed = readAddressesAllowed({ WEBHOOK_ALLOW_PRIVATE: false, WEBHOOK_ALLOW: allow });
  const agent = createAgent(allowed, async (hostname) => resolve(hostname));
  try {
    await use(createHttpClient({ current: () => agent, destroy: () => agent.destroy() }));
  } finally {
    await agent.destroy();
  }
}

const call = (client: HttpClient, origin: string): Promise<CallResult> =>
  client.call({ origin, path: '/', headers: [], body: Buffer.from('x') });

const refused = { kind: 'failure', failure: { kind: 'not_allowed' } };

describe('the address that is dialled', () => {
  it('is no private one, in any form a URL can have', async () => {
    await withClient(
      '',
      () => ['127.0.0.1'],
      async (client) => {
        for (const host of privateHosts) {
          const url = URL.parse(`http://${host}:${port}/`);
          if (url !== null) expect(await call(client, url.origin), host).toMatchObject(refused);
        }
      },
    );
    expect(touched).toBe(0);
  });

  it('is no private one, whatever a name server says, over HTTPS as well', async () => {
    const answersOf = new Map(privateAddresses.map((address, at) => [`h${at}.test`, address]));
    await withClient(
      '',
      (hostname) => [answersOf.get(hostname) ?? ''],
      async (client) => {
        for (const hostname of answersOf.keys()) {
          const scheme = hostname.length % 2 === 0 ? 'http' : 'https';
          expect(
            await call(client, `${scheme}://${hostname}:${port}`),
            answersOf.get(hostname),
          ).toMatchObject(refused);
        }
      },
    );
    expect(touched).toBe(0);
  });

  it('is the one that was checked, though the next answer is another', async () => {
    const receiver = await openReceiver();
    receiver.treat('/', answers(200, { connection: 'close' }));
    let lookups = 0;
    // Allowed and private in turn: what is checked once and asked for again is lost.
    const turning = () => (lookups++ % 2 === 0 ? ['127.0.0.2'] : ['127.0.0.1']);
    await withClient('127.0.0.2/32', turning, async (client) => {
      for (let turn = 0; turn < 20; turn++) {
        const result = await call(client, `http://rebinding.test:${port}`);
        // 127.0.0.2 is where the canary is as well: only there may it be touched.
        const kind = result.kind === 'failure' ? result.failure.kind : 'response';
        expect(kind).toBe(turn % 2 === 0 ? 'broken_off' : 'not_allowed');
      }
    });
    expect(lookups).toBe(20);
    expect(touched).toBe(10);
    touched = 0;
    await receiver.close();
  });

  it('is the one that was checked, by a name server that gives another one each time', async () => {
    // The first address of each answer stands for a public one.
    const told = [['127.0.0.2'], ['127.0.0.1'], ['127.0.0.2', '127.0.0.1'], ['127.0.0.1']];
    let asked = 0;
    const server = await openNameServer(() => told[asked++ % told.length] ?? []);
    const resolve = createResolve([server.address]);
    await withClient('127.0.0.2/32', resolve, async (client) => {
      for (let turn = 0; turn < 8; turn++) {
        const result = await call(client, `http://rebinding.example:${port}`);
        const kind = result.kind === 'failure' ? result.failure.kind : 'response';
        expect([turn, kind]).toEqual([turn, turn % 2 === 0 ? 'broken_off' : 'not_allowed']);
      }
    });
    server.close();
    // Each call asked once, and only the allowed address was touched.
    expect([asked, touched]).toEqual([8, 4]);
    touched = 0;
  });

  it('is one of those that are allowed, where a name has both', async () => {
    const receiver: Receiver = await openReceiver();
    const both = () => ['10.0.0.1', '::1', '127.0.0.1', 'fe80::1'];
    await withClient('127.0.0.0/8', both, async (client) => {
      const result = await call(client, `http://both.test:${receiver.port}`);
      expect(result).toMatchObject({ status: 200 });
    });
    expect(receiver.connections()).toBe(1);
    expect(touched).toBe(0);
    await receiver.close();
  });

  it('is none where a name has no address', async () => {
    await withClient(
      '127.0.0.0/8',
      () => [],
      async (client) => {
        expect(await call(client, `http://none.test:${port}`)).toMatchObject(refused);
      },
    );
  });
});
