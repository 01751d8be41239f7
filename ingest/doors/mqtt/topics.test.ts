import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandTopic, isOfCommands, matches, ownTopic, reachOf, targetOf } from './topics.ts';
import { reasons } from './wire/reasons.ts';

const own = '0b3c1f8a-7d5e-4a6b-9c1d-2e3f4a5b6c7d';
const group = '0f3f1c52-8f0e-4a63-b1d5-0c8b6a0f2b21';
const other = '1b3c1f8a-7d5e-4a6b-9c1d-2e3f4a5b6c7d';
const sender = { thingId: own, isGateway: false };

describe('the topic of a message', () => {
  it.each([
    [`things/${own}/messages`, ''],
    [`things/${own}/messages/`, ''],
    [`things/${own.toUpperCase()}/messages/a/b`, 'a.b'],
    [`things/${own}/messages//a//b`, 'a.b'],
    ['a/b', 'a.b'],
    ['/a', 'a'],
    ['tele/x/SENSOR', 'tele.x.SENSOR'],
    ['100%/a', '100%.a'],
    [`things/${own}/messagesx`, `things.${own}.messagesx`],
    ['things/kitchen/messages', 'things.kitchen.messages'],
  ])('%s has the subtopic %j', (topic, subtopic) => {
    expect(targetOf(topic, sender, 254)).toEqual({ kind: 'message', subtopic, deviceId: '' });
  });

  it('of another thing is one that a gateway speaks for', () => {
    const gateway = { ...sender, isGateway: true };
    const topic = `things/${other.toUpperCase()}/messages/a/b`;
    const target = { kind: 'message', subtopic: 'a.b', deviceId: other };
    expect(targetOf(topic, gateway, 254)).toEqual(target);
    expect(targetOf(`things/${own}/messages`, gateway, 254)).toMatchObject({ deviceId: '' });
  });

  it('of a command names who is to get it', () => {
    expect(targetOf(`things/${other.toUpperCase()}/commands/a/b`, sender, 254)).toEqual({
      kind: 'command',
      to: { kind: 'thing', id: other },
      subtopic: 'a.b',
    });
    expect(targetOf(`groups/${group}/commands`, sender, 254)).toEqual({
      kind: 'command',
      to: { kind: 'group', id: group },
      subtopic: '',
    });
    const command = { thingId: own, groupId: group, isOfGroup: true, subtopic: 'a.b' };
    expect(commandTopic(command)).toBe(`groups/${group}/commands/a/b`);
    expect(commandTopic({ ...command, isOfGroup: false, subtopic: '' })).toBe(
      `things/${own}/commands`,
    );
  });

  it.each([
    [`things/${other}/messages`, reasons.notAuthorized],
    [`things/${other}/messages/a`, reasons.notAuthorized],
    ['$SYS/broker', reasons.topicNameInvalid],
    ['a/../b', reasons.topicNameInvalid],
    ['a>b', reasons.topicNameInvalid],
    ['*', reasons.topicNameInvalid],
    ['x'.repeat(255), reasons.topicNameInvalid],
  ])('%s is refused', (topic, reason) => {
    expect(targetOf(topic, sender, 254)).toMatchObject({ kind: 'refusedTopic', reason });
  });

  it("stands under the thing's own messages for those who subscribe to them", () => {
    expect(ownTopic('a/b', own)).toBe(`things/${own}/messages/a/b`);
    expect(ownTopic(`things/${own}/messages/a`, own)).toBe(`things/${own}/messages/a`);
  });
});

describe('a filter', () => {
  it.each([`things/${own}/messages`, `things/${own}/messages/#`, `things/${own}/messages/+/a`])(
    '%s reaches messages of the thing itself',
    (filter) => {
      expect(reachOf(filter, { thingId: own, groupId: group })).toEqual({ kind: 'messages' });
    },
  );

  it.each([`things/${own}/commands`, `things/${own}/commands/#`, `groups/${group}/commands/+/a`])(
    '%s reaches commands to the thing or its group',
    (filter) => {
      expect(reachOf(filter, { thingId: own, groupId: group })).toEqual({ kind: 'commands' });
      expect(isOfCommands(filter)).toBe(true);
    },
  );

  it.each([
    ['#', reasons.notAuthorized],
    [`things/${other}/commands/#`, reasons.notAuthorized],
    [`groups/${own}/commands/#`, reasons.notAuthorized],
    ['groups/+/commands', reasons.notAuthorized],
    ['+/#', reasons.notAuthorized],
    ['+/+/messages/#', reasons.notAuthorized],
    ['things/+/messages', reasons.notAuthorized],
    ['things/#', reasons.notAuthorized],
    [`things/${own}/#`, reasons.notAuthorized],
    [`things/${own}/messages#`, reasons.notAuthorized],
    [`things/${other}/messages/#`, reasons.notAuthorized],
    ['$SYS/#', reasons.notAuthorized],
    [`$share/a/things/${own}/messages/#`, reasons.sharedSubscriptionsNotSupported],
  ])('%s reaches further, and is refused', (filter, reason) => {
    expect(reachOf(filter, { thingId: own, groupId: group })).toMatchObject({
      kind: 'refusedTopic',
      reason,
    });
  });

  it.each([
    ['a/#', 'a', true],
    ['a/#', 'a/', true],
    ['a/#', 'a/b/c', true],
    ['a/#', 'ab', false],
    ['a/+', 'a', false],
    ['a/+', 'a/', true],
    ['a/+', 'a/b/c', false],
    ['a/+/c', 'a/b/c', true],
    ['+', '/a', false],
    ['+/+', '/a', true],
    ['a', 'a/b', false],
    ['a/b', 'a', false],
  ])('%s and the topic %s: %s', (filter, topic, does) => {
    expect(matches(filter, topic)).toBe(does);
  });

  it('matches as a pattern made of it does', () => {
    const level = fc.constantFrom('', 'a', 'b', '+');
    const name = fc.constantFrom('', 'a', 'b');
    fc.assert(
      fc.property(
        fc.array(level, { minLength: 1 }),
        fc.array(name, { minLength: 1 }),
        fc.boolean(),
        (levels, names, hash) => {
          const pattern = levels.map((one) => (one === '+' ? '[^/]*' : one)).join('/');
          const all = new RegExp(`^${pattern}${hash ? '(/.*)?' : ''}$`);
          const filter = hash ? [...levels, '#'].join('/') : levels.join('/');
          expect(matches(filter, names.join('/'))).toBe(all.test(names.join('/')));
        },
      ),
    );
  });
});
