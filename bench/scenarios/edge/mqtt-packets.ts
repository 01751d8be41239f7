import { generate, parser } from 'mqtt-packet';
import type { Version } from '../../../ingest/doors/mqtt/wire/packets.ts';
import { PacketReader } from '../../../ingest/doors/mqtt/wire/reader.ts';
import { reasons } from '../../../ingest/doors/mqtt/wire/reasons.ts';
import { PacketWriter } from '../../../ingest/doors/mqtt/wire/write.ts';
import { type Figure, info } from '../../harness/figures.ts';
import { perSecond } from '../../harness/per-second.ts';

/** As many messages as one read of a socket brings, about. */
const messagesPerChunk = 64;
const topic = 'things/0199b6f2-7a1c-7c3e-9d55-3f2c9a4e1b7d/messages';

/** A device's messages of so many bytes, from PUBLISH to PUBACK, without all that comes between; beside `mqtt-packet`. */
export async function mqttPackets(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const bytes of [72, 466]) {
    const rate = await perSecond({
      ours4: ours(4, bytes),
      ours5: ours(5, bytes),
      theirs: theirs(bytes),
    });
    const messages = (name: 'ours4' | 'ours5' | 'theirs') => rate(name) * messagesPerChunk;
    figures.push(
      info(`MQTT 3.1.1, ${bytes} bytes, read and acknowledged`, messages('ours4'), 'messages/s'),
      info(`MQTT 5, ${bytes} bytes, read and acknowledged`, messages('ours5'), 'messages/s'),
      info(`MQTT 3.1.1, ${bytes} bytes, by mqtt-packet`, messages('theirs'), 'messages/s'),
    );
  }
  return figures;
}

function chunkOf(version: Version, bytes: number): Buffer {
  const payload = Buffer.alloc(bytes, 'x');
  const packets = Array.from({ length: messagesPerChunk }, (_, at) =>
    generate(
      { cmd: 'publish', topic, payload, qos: 1, dup: false, retain: false, messageId: at + 1 },
      { protocolVersion: version },
    ),
  );
  return Buffer.concat(packets);
}

function connectOf(protocolVersion: Version): Buffer {
  return generate({ cmd: 'connect', protocolId: 'MQTT', protocolVersion, clientId: 'bench' });
}

function ours(version: Version, bytes: number): () => void {
  const reader = new PacketReader({ packetBytesMax: 1_000_000 });
  const writer = new PacketWriter();
  reader.push(connectOf(version));
  reader.next();
  const chunk = chunkOf(version, bytes);
  return () => {
    reader.push(chunk);
    for (let packet = reader.next(); packet !== undefined; packet = reader.next()) {
      if (packet.kind !== 'publish' || packet.payload.length !== bytes) {
        throw new Error(`read ${packet.kind}`);
      }
      writer.puback(version, packet.packetId, reasons.success);
    }
    if (writer.take().length !== 4 * messagesPerChunk) throw new Error('not all was acknowledged');
  };
}

function theirs(bytes: number): () => void {
  const reader = parser({ protocolVersion: 4 });
  const answers: Buffer[] = [];
  reader.on('packet', (packet) => {
    if (packet.cmd !== 'publish' || packet.messageId === undefined) throw new Error(packet.cmd);
    answers.push(generate({ cmd: 'puback', messageId: packet.messageId }));
  });
  const chunk = chunkOf(4, bytes);
  return () => {
    reader.parse(chunk);
    if (Buffer.concat(answers).length !== 4 * messagesPerChunk) throw new Error('not all was read');
    answers.length = 0;
  };
}
