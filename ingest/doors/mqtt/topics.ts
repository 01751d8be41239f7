/** Topics and filters, as infra/guide/mqtt.md has them. */
import { subtopicOf } from '../../../schemas/messages/subtopic.ts';
import { type ReasonCode, reasons } from './wire/reasons.ts';

/** A topic or a filter that is not taken. */
export type TopicRefused = {
  readonly kind: 'refusedTopic';
  readonly reason: ReasonCode;
  readonly detail: string;
};

/** Where a message goes: into the store, under a subtopic of its sender, or of another thing by its id; or it is a command. */
type MessageTarget = {
  readonly kind: 'message';
  readonly subtopic: string;
  /** '': its sender. */
  readonly deviceId: string;
};
export type CommandTarget = {
  readonly kind: 'command';
  readonly to: { readonly kind: 'thing' | 'group'; readonly id: string };
  readonly subtopic: string;
};

/** Whose topics they are: a thing's, and its group's. */
type TopicOwner = { readonly thingId: string; readonly groupId: string };

/** Who publishes. A gateway may name other things of its group; whether they are, the intake says. */
type Publisher = { readonly thingId: string; readonly isGateway: boolean };

/** A filter reaches these: messages of the thing itself, or commands to it or its group. */
type Reach = { readonly kind: 'messages' | 'commands' };

const addressed =
  /^(things|groups)\/([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\/(messages|commands)(?:\/|$)/i;

const refused = (reason: ReasonCode, detail: string): TopicRefused => ({
  kind: 'refusedTopic',
  reason,
  detail,
});

/** The topic of a thing's own messages, without a subtopic. */
const messagesTopic = (thingId: string): string => `things/${thingId}/messages`;

/**
 * `things/<own id>/messages[/…]`, or any topic of one's own: then all of it is the subtopic. Whatever names another
 * thing is no subtopic by accident: it is refused, unless a gateway speaks for that. `things/<id>/commands[/…]` and those of groups are commands: whether
 * the thing may, PostgreSQL says.
 */
export function targetOf(
  topic: string,
  { thingId, isGateway }: Publisher,
  subtopicCharsMax: number,
): MessageTarget | CommandTarget | TopicRefused {
  if (topic.startsWith('$')) {
    return refused(reasons.topicNameInvalid, 'topics that begin with $ are not taken');
  }
  const [named, kind, id, what] = addressed.exec(topic) ?? [];
  let path = topic;
  let deviceId = '';
  if (named !== undefined) {
    if (what === 'commands') {
      const found = subtopicOf(topic.slice(named.length), subtopicCharsMax);
      if (!found.ok) return refused(reasons.topicNameInvalid, found.detail);
      const to = {
        kind: kind === 'things' ? 'thing' : 'group',
        id: id?.toLowerCase() ?? '',
      } as const;
      return { kind: 'command', to, subtopic: found.subtopic };
    }
    if (kind === 'things') {
      deviceId = id?.toLowerCase() ?? '';
      if (deviceId === thingId) deviceId = '';
      else if (!isGateway) {
        return refused(reasons.notAuthorized, 'the topic is of another thing');
      }
      path = topic.slice(named.length);
    }
  }
  const found = subtopicOf(path, subtopicCharsMax);
  if (!found.ok) return refused(reasons.topicNameInvalid, found.detail);
  return { kind: 'message', subtopic: found.subtopic, deviceId };
}

/** The topic under which a thing is sent its own message. */
export function ownTopic(topic: string, thingId: string): string {
  const own = messagesTopic(thingId);
  return topic === own || topic.startsWith(`${own}/`) ? topic : `${own}/${topic}`;
}

/** Only a filter that begins with one's own prefix is granted: a wildcard in the prefix would reach others. */
export function reachOf(filter: string, { thingId, groupId }: TopicOwner): Reach | TopicRefused {
  if (filter.startsWith('$share/')) {
    return refused(reasons.sharedSubscriptionsNotSupported, 'shared subscriptions are not taken');
  }
  const own = messagesTopic(thingId);
  if (filter === own || filter.startsWith(`${own}/`)) return { kind: 'messages' };
  const commands = [`things/${thingId}/commands`, `groups/${groupId}/commands`];
  if (commands.some((one) => filter === one || filter.startsWith(`${one}/`))) {
    return { kind: 'commands' };
  }
  const all = [own, ...commands].map((one) => `${one}/#`);
  return refused(reasons.notAuthorized, `only these can be subscribed to: ${all.join(', ')}`);
}

/** Whether a topic matches a filter (§4.7), which is valid. */
export function matches(filter: string, topic: string): boolean {
  let at = 0;
  let from = 0;
  for (;;) {
    const end = filter.indexOf('/', at);
    const level = end === -1 ? filter.slice(at) : filter.slice(at, end);
    if (level === '#') return true;
    if (from > topic.length) return false;
    const topicEnd = topic.indexOf('/', from);
    const part = topicEnd === -1 ? topic.slice(from) : topic.slice(from, topicEnd);
    if (level !== '+' && level !== part) return false;
    from = topicEnd === -1 ? topic.length + 1 : topicEnd + 1;
    if (end === -1) return from > topic.length;
    at = end + 1;
  }
}

/** The topic of a command, as its thing subscribes to it. */
export function commandTopic(command: {
  thingId: string;
  groupId: string;
  isOfGroup: boolean;
  subtopic: string;
}): string {
  const { thingId, groupId, isOfGroup, subtopic } = command;
  const start = isOfGroup ? `groups/${groupId}/commands` : `things/${thingId}/commands`;
  return subtopic === '' ? start : `${start}/${subtopic.replaceAll('.', '/')}`;
}

/** Whether a filter that was granted is one of commands. */
export const isOfCommands = (filter: string): boolean =>
  /^(?:things|groups)\/[^/]+\/commands(?:\/|$)/.test(filter);
