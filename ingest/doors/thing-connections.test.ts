import { expect, it } from 'vitest';
import { type ConnectionOwner, ThingConnections } from './thing-connections.ts';

const limits = { max: 10, perOrgMax: 6, perNetworkMax: 4, perThingMax: { mqtt: 3, ws: 2 } };

const owner = (thing: string, org: string, network?: string): ConnectionOwner => ({
  door: 'ws',
  thing,
  org,
  network,
});

function openAll(counts: ThingConnections, ...owners: ConnectionOwner[]): void {
  for (const one of owners) {
    expect(counts.refusal(one)).toBeUndefined();
    counts.opened(one);
  }
}

it('streams are bounded by thing, network, org and in all, and each is told', () => {
  const counts = new ThingConnections(limits);
  openAll(counts, owner('1', 'a', 'x'), owner('1', 'a', 'x'));
  expect(counts.refusal(owner('1', 'a', 'y'))).toMatchObject({
    code: 'too_many',
    detail: 'streams of this thing',
  });
  openAll(counts, owner('2', 'a', 'x'), owner('2', 'a', 'x'));
  expect(counts.refusal(owner('3', 'a', 'x'))?.detail).toBe('streams of this network');
  // A proxy that names no client is no network.
  openAll(counts, owner('3', 'a'), owner('3', 'a'));
  expect(counts.refusal(owner('4', 'a', 'y'))?.detail).toBe('streams of this org');
  openAll(counts, owner('5', 'b'), owner('5', 'b'), owner('6', 'b'), owner('6', 'b'));
  expect(counts.refusal(owner('7', 'c', 'z'))).toMatchObject({ code: 'unavailable' });
});

it('a stream that is closed makes room for another', () => {
  const counts = new ThingConnections(limits);
  openAll(counts, owner('1', 'a', 'x'), owner('1', 'a', 'x'));
  counts.closed(owner('1', 'a', 'x'));
  openAll(counts, owner('1', 'a', 'x'));
  expect(counts.refusal(owner('1', 'a', 'x'))?.code).toBe('too_many');
});

it('streams and MQTT connections share the bounds of all, and each has its own of a thing', () => {
  const counts = new ThingConnections(limits);
  const mqtt = (thing: string, org: string): ConnectionOwner => ({
    ...owner(thing, org),
    door: 'mqtt',
  });
  openAll(counts, owner('1', 'a'), owner('1', 'a'), mqtt('1', 'a'), mqtt('1', 'a'), mqtt('1', 'a'));
  expect(counts.refusal(mqtt('1', 'a'))?.detail).toBe('MQTT connections of this thing');
  openAll(counts, mqtt('2', 'a'));
  expect(counts.refusal(owner('3', 'a'))?.detail).toBe('streams of this org');
});
