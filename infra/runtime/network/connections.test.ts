import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { Connections } from './connections.ts';

const logger = pino({ level: 'silent' });
const limits = { max: 20, perNetworkMax: 8 };

const open = (isProxy = (address: string) => address === '10.0.0.1') =>
  new Connections(limits, isProxy, logger);

const times = (count: number, address: string, connections: Connections) =>
  Array.from({ length: count }, () => connections.opened(address)?.code);

describe('connections', () => {
  it('of one network are refused from its bound on, and others are taken', () => {
    const connections = open();
    expect(times(9, '192.0.2.1', connections)).toEqual([...Array(8).fill(undefined), 'too_many']);
    expect(connections.opened('192.0.2.2')).toBeUndefined();
    expect(connections.refused).toEqual({ too_many: 1, unavailable: 0 });
  });

  it('of one /64 of IPv6 count together', () => {
    const connections = open();
    const each = Array.from({ length: 9 }, (_, at) => connections.opened(`2001:db8::${at}`)?.code);
    expect(each.filter((code) => code === 'too_many')).toHaveLength(1);
    expect(connections.opened('2001:db8:0:1::1')).toBeUndefined();
  });

  it('of a trusted proxy have the bound of all alone', () => {
    const connections = open();
    const codes = times(21, '10.0.0.1', connections);
    expect(codes).toEqual([...Array(20).fill(undefined), 'unavailable']);
    connections.closed();
    expect(connections.held).toBe(20);
  });

  it('that are closed make room again, whoever tells it', () => {
    const connections = open();
    times(8, '192.0.2.1', connections);
    connections.closed('192.0.2.1');
    expect(times(2, '192.0.2.1', connections)).toEqual([undefined, 'too_many']);
  });

  it('whose end has no address are counted by asking, before a network is refused', async () => {
    const connections = open();
    let now = 0;
    connections.recount = async () => new Map([['192.0.2.1', now]]);
    // Each is closed before the next one is opened.
    for (let at = 0; at < 5; at++) {
      expect(connections.opened('192.0.2.1')).toBeUndefined();
      connections.closed();
    }
    await Promise.resolve();
    now = 1;
    expect(times(7, '192.0.2.1', connections).filter(Boolean)).toEqual([]);
  });

  it('can not be counted: then no network is refused, and the bound of all holds', async () => {
    const connections = open();
    connections.recount = () => Promise.reject(new Error('no such file'));
    times(6, '192.0.2.1', connections);
    await new Promise(setImmediate);
    expect(times(8, '192.0.2.1', connections).filter(Boolean)).toEqual([]);
    expect(times(7, '192.0.2.2', connections).at(-1)).toBe('unavailable');
  });

  it('never exceed a bound, in any order of opening and closing', () => {
    const step = fc.record({ network: fc.integer({ min: 1, max: 4 }), opens: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const connections = open();
        const held = new Map<string, number>();
        for (const { network, opens } of steps) {
          const address = `192.0.2.${network}`;
          const count = held.get(address) ?? 0;
          if (opens && connections.opened(address) === undefined) held.set(address, count + 1);
          else if (opens) connections.closed();
          else if (count > 0) {
            connections.closed(address);
            held.set(address, count - 1);
          }
          const counts = [...held.values()];
          expect(Math.max(0, ...counts)).toBeLessThanOrEqual(limits.perNetworkMax);
          expect(connections.held).toBe(counts.reduce((sum, one) => sum + one, 0));
          expect(connections.held).toBeLessThanOrEqual(limits.max);
        }
      }),
      { numRuns: 100 },
    );
  });
});
