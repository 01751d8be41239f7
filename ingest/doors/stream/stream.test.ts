import { describe, expect, it } from 'vitest';
import { Credential } from '../../auth/credential.ts';
import { malformed } from '../../codecs/rejected.ts';
import { BodyRoom } from '../../intake/kept-body.ts';
import { limits } from '../../limits.ts';
import { Stream } from './stream.ts';

/** A stream with a connection whose client takes what it is sent only while `takes` is set. */
function connected() {
  const stream = new Stream({
    owner: { door: 'ws', thing: 'a', org: '', network: undefined },
    credential: new Credential('internal', 'a'),
    contentType: 'application/senml+json',
    subtopic: '',
    requestId: 'id',
    network: '127.0.0.1',
  });
  const client = { takes: true, told: Array.of<unknown>(), closed: 0 };
  stream.connect({
    bufferedBytes: () => (client.takes ? 0 : 1),
    cork: (write) => write(),
    send: (text) => client.told.push(JSON.parse(text)),
    end(code) {
      client.closed = code;
      stream.disconnect();
    },
  });
  /** Messages that come and are appended as one part, which is settled when the result is called. */
  const append = (count: number) => {
    for (let at = 0; at < count; at++) stream.receive(100);
    const [to, bytesTo] = [stream.received, stream.receivedBytes];
    stream.appended();
    return () => stream.settled(to, bytesTo);
  };
  const refuse = (detail: string) => {
    stream.receive(100);
    stream.refuse(stream.received, stream.received, malformed(detail));
  };
  return { stream, client, append, refuse };
}

const refusals = (told: unknown[]) =>
  told.flatMap((one) => {
    const { refused } = Object(one);
    return refused === undefined ? [] : [[refused.from, refused.to]];
  });

describe('a stream', () => {
  it('acknowledges what is on the disk, and nothing after it', () => {
    const { stream, client, append } = connected();
    const [first, second] = [append(3), append(2)];
    stream.tell();
    expect(client.told).toEqual([]);
    first();
    stream.tell();
    second();
    stream.tell();
    stream.tell();
    expect(client.told).toEqual([{ ack: 3 }, { ack: 5 }]);
  });

  it('tells of each refusal before the ack that passes it', () => {
    const { stream, client, append, refuse } = connected();
    const first = append(1);
    refuse('a');
    refuse('a');
    refuse('b');
    const second = append(1);
    first();
    stream.tell();
    expect(refusals(client.told)).toEqual([
      [2, 3],
      [4, 4],
    ]);
    expect(client.told.at(-1)).toEqual({ ack: 1 });
    second();
    refuse('c');
    stream.tell();
    expect(refusals(client.told).at(-1)).toEqual([6, 6]);
    expect(client.told.at(-1)).toEqual({ ack: 6 });
  });

  it('keeps acks and the window back while the client takes nothing', () => {
    const { stream, client, append } = connected();
    client.takes = false;
    append(1)();
    stream.tell();
    append(1)();
    stream.tell();
    expect(client.told).toEqual([]);
    expect(stream.unansweredBytes).toBe(200);
    client.takes = true;
    stream.tell();
    expect(client.told).toEqual([{ ack: 2 }]);
    expect(stream.unansweredBytes).toBe(0);
  });

  it('takes no more than the window', () => {
    const { stream } = connected();
    const half = limits.streamWindowBytes / 2;
    expect([stream.receive(half), stream.receive(half), stream.receive(1)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(stream.received).toBe(2);
  });

  it('is closed once what came before is answered, and takes nothing more', () => {
    const { stream, client, append, refuse } = connected();
    const first = append(1);
    refuse('a');
    client.takes = false;
    stream.end({ code: 1001, reason: 'the edge stops' });
    expect([stream.isOpen, client.closed]).toEqual([false, 0]);
    first();
    stream.tell();
    expect(refusals(client.told)).toEqual([[2, 2]]);
    expect([client.told.at(-1), client.closed]).toEqual([{ ack: 2 }, 1001]);
  });

  it('that is broken off acknowledges nothing more', () => {
    const { stream, client, append } = connected();
    const first = append(1);
    stream.receive(100);
    stream.breakOff({ code: 1011, reason: 'internal' });
    first();
    stream.tell();
    expect([client.told, client.closed]).toEqual([[], 1011]);
  });

  it('gives frames that waited for the key in order, and drops them when it ends', () => {
    const { stream } = connected();
    const bodies = new BodyRoom({ bodyBytesMax: 100, bufferedBytesMax: 100 });
    expect(stream.hold(Buffer.from('a'), false, bodies)).toBe(true);
    expect(stream.hold(Buffer.from('b'), true, bodies)).toBe(true);
    const taken: [string, boolean][] = [];
    stream.releaseHeld((frame, isBinary) => taken.push([Buffer.from(frame).toString(), isBinary]));
    expect(taken).toEqual([
      ['a', false],
      ['b', true],
    ]);
    stream.hold(Buffer.alloc(90), false, bodies);
    expect(stream.hold(Buffer.alloc(20), false, bodies)).toBe(false);
    stream.end({ code: 4401, reason: 'credential_unknown' });
    expect([stream.isHolding, stream.unansweredBytes]).toEqual([false, 0]);
    const other = connected().stream;
    expect(other.hold(Buffer.alloc(100), false, bodies)).toBe(true);
    other.dropHeld();
  });
});
