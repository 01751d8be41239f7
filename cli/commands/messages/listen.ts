import { Agent, request } from 'undici';
import type { Call } from '../../invocation/call.ts';
import type { Millrace, Requests } from '../../../schemas/client/client.ts';
import { ApiError, codeOf } from '../../../schemas/client/errors.ts';
import type { LiveMessageOf, MessageFormat } from '../../../schemas/client/live.ts';
import { stringify } from '../../terminal/output/stringify.ts';
import { parseId, UsageError } from '../../input/usage.ts';
import { formatGiven, formats } from './format.ts';
import { listenToCommands } from './listen-commands.ts';

/** How long a receiver may take, as with webhooks. */
const answerMsMax = 15_000;

/** A thing may be moved: its group is read again after so long. */
const groupMsMax = 3_000;

/** The request to a receiver. */
type Copy = { thingId: string; subtopic: string | undefined; body: string; contentType: string };

/**
 * Sends each message to a URL as it comes, as a webhook would: its payload, with the headers about its thing. Prints a
 * line with the response for each. Nothing is sent again. Of a thing or a group it also shows the commands, and their
 * states, to editors.
 */
export async function listen(call: Call): Promise<void> {
  const to = call.flag('forwardTo') ?? '';
  if (!URL.canParse(to) || !/^https?:$/.test(new URL(to).protocol)) {
    throw new UsageError('--forward-to is not an HTTP URL, such as http://localhost:3000/hook');
  }
  const thingId = call.flag('thing') ?? call.settings.filters.publisher;
  const groupId = call.flag('group');
  const client = call.as('reader');
  const filters = {
    ...call.settings.filters,
    publisher: thingId === undefined ? undefined : parseId('--thing', thingId),
  };
  const isMeant =
    groupId === undefined ? async () => true : inGroup(client, parseId('--group', groupId));
  const format = formatGiven(call);
  const place =
    thingId !== undefined
      ? ({ of: 'thing', id: parseId('--thing', thingId) } as const)
      : groupId !== undefined && ({ of: 'group', id: parseId('--group', groupId) } as const);
  const stopping = new AbortController();
  const agent = new Agent({ connect: { rejectUnauthorized: !call.settings.insecure } });
  try {
    await Promise.all([
      ...(format === undefined ? formats : [format]).map((one) =>
        follow(call, client, one, { filters, isMeant, to, agent }),
      ),
      ...(place === false ? [] : [listenToCommands(call, place, stopping.signal).catch(mayNot)]),
    ]);
  } finally {
    stopping.abort();
    await agent.destroy();
  }
}

/** Who may not see commands listens to messages alone. */
function mayNot(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 403) throw error;
}

type How = {
  filters: Requests['followMessages_senml']['query'];
  isMeant: (thingId: string) => Promise<boolean>;
  to: string;
  agent: Agent;
};

async function follow(
  call: Call,
  client: Millrace,
  format: MessageFormat,
  how: How,
): Promise<void> {
  const live = client.follow(format, how.filters, {
    onOpen: () => call.tell(`listening to ${format} messages; they go to ${how.to}`),
    onLost: (_error, waitMs) =>
      call.tell(`${format}: connection lost, again in ${Math.ceil(waitMs / 1_000)} s`),
  });
  for await (const message of live) {
    if (!(await how.isMeant(message.publisher))) continue;
    const copy = copyOf(message);
    const answer = await deliver(copy, how);
    const { thingId, subtopic } = copy;
    await call.output.write(
      call.settings.output === 'json' || call.settings.output === 'ndjson'
        ? `${stringify({ time: new Date().toISOString(), thing_id: thingId, subtopic, ...answer })}\n`
        : `${[new Date().toISOString(), thingId, subtopic, answer.status ?? answer.error, `${answer.ms} ms`].filter((text) => text !== undefined).join('  ')}\n`,
    );
  }
}

/** A SenML record becomes a SenML pack of one record; a JSON message is its payload. */
function copyOf(message: LiveMessageOf[MessageFormat]): Copy {
  const { publisher: thingId, subtopic } = message;
  if ('payload' in message) {
    return { thingId, subtopic, body: stringify(message.payload), contentType: 'application/json' };
  }
  const record = {
    n: message.name,
    u: message.unit,
    t: message.time,
    v: message.value,
    vs: message.string_value,
    vb: message.bool_value,
    vd: message.data_value,
    s: message.sum,
    ut: message.update_time,
  };
  return { thingId, subtopic, body: stringify([record]), contentType: 'application/senml+json' };
}

async function deliver(
  { thingId, subtopic, body, contentType }: Copy,
  { to, agent }: How,
): Promise<{ status?: number; error?: string; ms: number }> {
  const began = performance.now();
  const ms = () => Math.round(performance.now() - began);
  try {
    const answer = await request(to, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        'content-type': contentType,
        'millrace-thing-id': thingId,
        ...(subtopic === undefined ? {} : { 'millrace-subtopic': headerText(subtopic) }),
        'millrace-received-at': new Date().toISOString(),
      },
      body,
      signal: AbortSignal.timeout(answerMsMax),
    });
    await answer.body.dump();
    return { status: answer.statusCode, ms: ms() };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { error: codeOf(error) || text, ms: ms() };
  }
}

/** As in webhooks: characters beyond ASCII are percent-encoded. */
const headerText = (text: string): string => text.replaceAll(/[^!-$&-~]/gu, encodeURIComponent);

/** Whether a thing was in the group a moment ago. */
function inGroup(client: Millrace, groupId: string): (thingId: string) => Promise<boolean> {
  const known = new Map<string, { isMember: Promise<boolean>; untilMs: number }>();
  const look = async (thingId: string) => {
    try {
      return (
        (await client.call('viewThing', { path: { id: thingId } })).group_id ===
        groupId.toLowerCase()
      );
    } catch (error) {
      if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return false;
      known.delete(thingId);
      throw error;
    }
  };
  return (thingId) => {
    const nowMs = performance.now();
    const found = known.get(thingId);
    if (found !== undefined && nowMs < found.untilMs) return found.isMember;
    const isMember = look(thingId);
    known.set(thingId, { isMember, untilMs: nowMs + groupMsMax });
    return isMember;
  };
}
