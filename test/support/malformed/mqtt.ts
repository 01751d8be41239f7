import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { generate } from 'mqtt-packet';
import { clientPackets, connectPacket } from '../../../ingest/doors/mqtt/wire/testing.ts';
import { inParallel } from '../api/parallel.ts';
import { type Dice, dice, goodBytes, malformedBody } from './mutate.ts';

const atOnce = 32;
const packetsPerConnection = 20;
/** One connection in so many begins with something else than a good CONNECT: wrong keys are counted. */
const strangerOneIn = 100;
/** A connection that the edge leaves open, as all its packets were good, is closed by us. */
const waitMsMax = 50;

/** How the connections ended that sent so many malformed packets. */
type MqttFlood = { connections: number; closedByEdge: number; left: number };

/** Sends them on many connections, each of which ends at the first packet that is wrong enough. */
export async function floodMqtt(
  port: number,
  key: string,
  seed: number,
  packets: number,
): Promise<MqttFlood> {
  const random = dice(seed);
  const found = { connections: 0, closedByEdge: 0, left: 0 };
  const good = ([4, 5] as const).map((version) => {
    const of = <T extends Parameters<typeof generate>[0]>(arbitrary: fc.Arbitrary<T>) =>
      fc
        .sample(arbitrary, { seed, numRuns: 300 })
        .map((packet) => goodBytes(generate(packet, { protocolVersion: version })));
    const connects = of(connectPacket(version));
    return { version, connects, others: of(clientPackets(version)) };
  });
  const numbers = Array.from(
    { length: Math.ceil(packets / packetsPerConnection) },
    (_, number) => number,
  );
  await inParallel(atOnce, numbers, async (number) => {
    const { version, connects, others } = random.oneOf(good);
    const isStranger = random.below(strangerOneIn) === 0;
    const first = isStranger
      ? malformedBody(connects, random)
      : generate({
          cmd: 'connect',
          protocolId: 'MQTT',
          protocolVersion: version,
          clientId: `malformed-${number}`,
          username: 'internal',
          password: Buffer.from(key),
        });
    const rest = Array.from({ length: packetsPerConnection }, () => malformedBody(others, random));
    found.connections += 1;
    const isClosed = await send(port, Buffer.concat([first, ...rest]), random);
    found[isClosed ? 'closedByEdge' : 'left'] += 1;
  });
  return found;
}

/** True: the edge closed the connection. */
async function send(port: number, bytes: Buffer, random: Dice): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  // The edge may close it while we write.
  socket.on('error', () => undefined);
  socket.resume();
  const at = random.below(bytes.length + 1);
  socket.write(bytes.subarray(0, at));
  socket.write(bytes.subarray(at));
  const ended = AbortSignal.timeout(waitMsMax);
  try {
    await once(socket, 'close', { signal: ended });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
