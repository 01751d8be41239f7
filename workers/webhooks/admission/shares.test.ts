import { describe, expect, it } from 'vitest';
import { Shares, Turns } from './shares.ts';

describe('a share', () => {
  it('never gives one webhook more than is still free after that', () => {
    const shares = new Shares(10, [
      { orgId: 'a', webhookId: 'before', isFailing: false, copies: 2 },
    ]);
    const rooms = ['x', 'y', 'z'].map((webhookId) => {
      const room = shares.room('a', webhookId);
      shares.take('a', webhookId, room);
      return room;
    });
    expect(rooms).toEqual([4, 2, 1]);
    expect(shares.room('another', 'w')).toBe(5);
  });

  it('that a group overfilled has no room until it is gone', () => {
    const shares = new Shares(10, [{ orgId: 'a', webhookId: 'x', isFailing: false, copies: 64 }]);
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

  it('go to who waited longest, and to who is new before all', () => {
    const turns = new Turns();
    expect(turns.order(of('a', 'b', 'c'))).toEqual(of('a', 'b', 'c'));
    turns.had(of('a', 'b'));
    expect(turns.order(of('a', 'b', 'c'))).toEqual(of('c', 'a', 'b'));
    turns.had(of('c'));
    expect(turns.order(of('a', 'b', 'c', 'd'))).toEqual(of('d', 'a', 'b', 'c'));
  });

  it('go to those that fail after the others, and among them as well', () => {
    const turns = new Turns();
    turns.order(of('failing-a', 'failing-b', 'c'));
    turns.had(of('failing-a', 'c'));
    const ordered = turns.order(of('failing-a', 'failing-b', 'c'));
    expect(ordered).toEqual(of('c', 'failing-b', 'failing-a'));
  });
});
