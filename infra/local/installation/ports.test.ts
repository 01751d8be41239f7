import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { pickPorts, whyNotFree } from './ports.ts';

it.each(['127.0.0.1', '0.0.0.0'])(
  'a port that somebody listens on at %s is taken',
  async (host) => {
    const [port = 0] = await pickPorts(1);
    const server = createServer().listen(port, host);
    await once(server, 'listening');
    expect(await whyNotFree(port)).toBe(`port ${port} is taken by another process`);
    server.close();
    await once(server, 'close');
    expect(await whyNotFree(port)).toBeNull();
  },
);

it('picked ports are different, and outside the range of outgoing connections', async () => {
  const ports = await pickPorts(20);
  expect(new Set(ports).size).toBe(20);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});
