import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { countLine, establishedByNetwork, shareOf } from './established.ts';

const line = (local: string, remote: string, state: string) =>
  `  12: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  1000        0 1 1`;

function counted(...lines: string[]) {
  const counts = new Map<string, number>();
  for (const one of lines) countLine(one, new Set([8081]), counts);
  return Object.fromEntries(counts);
}

it('connections of one network are counted together, of IPv4 and of IPv6', () => {
  const first = line('0100007F:1F91', '070200C0:A001', '01');
  const second = line('0100007F:1F91', '070200C0:A002', '08');
  const mapped = line(
    '0000000000000000FFFF00000100007F:1F91',
    '0000000000000000FFFF0000070200C0:A003',
    '01',
  );
  const six = line(
    '00000000000000000000000001000000:1F91',
    'B80D01200000000007000000010000FF:A004',
    '01',
  );
  expect(counted(first, second, mapped, six)).toEqual({ '192.0.2.7': 3, '2001:db8:0:0': 1 });
});

it('what listens, waits after its end, or is at another port does not count', () => {
  const header =
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid';
  const listening = line('00000000:1F91', '00000000:0000', '0A');
  const waiting = line('0100007F:1F91', '070200C0:A001', '06');
  const other = line('0100007F:1F90', '070200C0:A001', '01');
  expect(counted(header, '', 'x', listening, waiting, other)).toEqual({});
});

it.each([
  ['as it is', '/proc/self/net/tcp6'],
  ['without IPv6', '/proc/self/net/none'],
])('the kernel knows the connections of this process, %s', async (_, ipv6) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const sockets = Array.from({ length: 5 }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const files = { ipv4: '/proc/self/net/tcp', ipv6 };
  expect((await establishedByNetwork(new Set([port]), files)).get('127.0.0.1')).toBe(5);
  for (const socket of sockets) socket.destroy();
  server.close();
});

it('processes that share a port have a part of its connections each', () => {
  const counts = new Map([
    ['192.0.2.7', 40],
    ['192.0.2.8', 1],
  ]);
  expect(Object.fromEntries(shareOf(counts, 4))).toEqual({ '192.0.2.7': 10, '192.0.2.8': 1 });
  expect(shareOf(counts, 1)).toEqual(counts);
});
