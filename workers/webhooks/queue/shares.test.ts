import { describe, expect, it } from 'vitest';
import { roomsOf, Shares, Turns } from './shares.ts';

describe('a share', () => {
  it('never gives one webhook more than is still free after that', () => {
    const shares = new Shares(10, [
      { orgId: 'a', webhookId: 'before', isFailing: false, deliveries: 2 },
    ]);
    const rooms = ['x', 'y', 'z'].map((webhookId) => {
      const room = shares.room('a', webhookId);
      shares.take('a', webhookId, room);
      return room;
    });
    expect(rooms).toEqual([4, 2, 1]);
    expect(shares.room('another', 'w')).toBe(5);
  });

  it('has no room while a large group has more than all of it', () => {
    const shares = new Shares(10, [
      { orgId: 'a', webhookId: 'x', isFailing: false, deliveries: 64 },
    ]);
    expect(shares.room('a', 'y')).toBe(0);
  });
});

describe('turns', () => {
  const of = (...ids: string[]) =>
    ids.map((webhookId) => ({
      orgId: 'org',
      webhookId,
      isFailing: webhookId.startsWith('failing'),
    }));

  it('go to those that waited longest, and first to new ones', () => {
    const turns = new Turns();
    expect(turns.order(of('a', 'b', 'c'))).toEqual(of('a', 'b', 'c'));
    turns.serve(of('a', 'b'));
    expect(turns.order(of('a', 'b', 'c'))).toEqual(of('c', 'a', 'b'));
    turns.serve(of('c'));
    expect(turns.order(of('a', 'b', 'c', 'd'))).toEqual(of('d', 'a', 'b', 'c'));
  });

  it('go to those that fail after the others, in the same way', () => {
    const turns = new Turns();
    turns.order(of('failing-a', 'failing-b', 'c'));
    turns.serve(of('failing-a', 'c'));
    const ordered = turns.order(of('failing-a', 'failing-b', 'c'));
    expect(ordered).toEqual(of('c', 'failing-b', 'failing-a'));
  });
});

describe('rooms', () => {
  const webhook = (webhookId: string, isFailing = false) => ({
    orgId: 'org',
    webhookId,
    isFailing,
  });

  it('of those that fail come from another part of the share than those of the others', () => {
    const queued = [{ ...webhook('dead', true), deliveries: 64 }];
    const rooms = roomsOf([webhook('a'), webhook('b'), webhook('c', true)], queued, 20);
    expect(rooms).toEqual([
      { webhookId: 'a', room: 5 },
      { webhookId: 'b', room: 3 },
    ]);
  });
});
