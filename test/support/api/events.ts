import { request } from 'undici';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { system } from '../system.ts';

const Message = Type.Object({
  publisher: Type.String(),
  name: Type.Optional(Type.String()),
  value: Type.Optional(Type.Number()),
});

type Message = Static<typeof Message>;

type Event<Told> = { id: string; text: string; message: Told };

/** A stream of events, read as it comes. */
export type Following<Told = Message> = {
  status: number;
  headers: Record<string, unknown>;
  /** Those that came so far. */
  events: Event<Told>[];
  /** The last id that was said, with or without an event. */
  lastId: () => string;
  /** Settles once it ended in order; fails where it broke off. */
  ended: Promise<void>;
  /** Leaves. */
  leave: () => void;
};

type FollowOptions = { after?: string; apiUrl?: string };

/** Follows messages from now on, or after an event, at the shared system unless told. */
export function follow(path: string, as: string, options?: FollowOptions): Promise<Following> {
  return followEvents((text) => Value.Parse(Message, JSON.parse(text)), path, as, options);
}

/** The same, of any events. */
export async function followEvents<Told>(
  read: (data: string) => Told,
  path: string,
  as: string,
  options: FollowOptions = {},
): Promise<Following<Told>> {
  const url = new URL(options.apiUrl ?? system().apiUrl);
  url.hostname = '127.0.0.1';
  const answer = await request(`${url.origin}${path}`, {
    headers: {
      authorization: as,
      ...(options.after === undefined ? {} : { 'last-event-id': options.after }),
    },
    bodyTimeout: 0,
  });
  const events: Event<Told>[] = [];
  let lastId = '';
  const ended = (async () => {
    let rest = '';
    for await (const chunk of answer.body.setEncoding('utf8')) {
      const blocks = `${rest}${String(chunk)}`.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = new Map(block.split('\n').map((line) => splitField(line)));
        lastId = fields.get('id') ?? lastId;
        const text = fields.get('data');
        if (text === undefined) continue;
        events.push({ id: lastId, text, message: read(text) });
      }
    }
  })();
  // Who leaves does not ask how it ended.
  ended.catch(() => undefined);
  return {
    status: answer.statusCode,
    headers: answer.headers,
    events,
    lastId: () => lastId,
    ended,
    leave: () => void answer.body.destroy(),
  };
}

function splitField(line: string): [string, string] {
  const at = line.indexOf(': ');
  return [line.slice(0, at), line.slice(at + 2)];
}
