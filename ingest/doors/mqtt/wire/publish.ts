import type { Cursor } from './cursor.ts';
import type { Publish, Version } from './packets.ts';
import { checkTopic, places, Properties } from './properties.ts';

type Filled = { -readonly [Name in keyof Publish]: Publish[Name] };

const none = new Uint8Array(0);
const properties = new Properties();

/** The messages of one connection (§3.3). */
export class PublishReader {
  readonly #topic = new KeptText();
  readonly #contentType = new KeptText();
  readonly #message: Filled = {
    kind: 'publish',
    topic: '',
    payload: none,
    qos: 0,
    retain: false,
    dup: false,
    packetId: 0,
    contentType: undefined,
    payloadIsText: false,
    messageExpirySeconds: undefined,
  };

  /** The first byte has been checked. */
  read(cursor: Cursor, firstByte: number, version: Version): Publish {
    const message = this.#message;
    const topicBytes = cursor.skip('the topic');
    const topicFrom = cursor.at - topicBytes;
    if (!this.#topic.is(cursor, topicFrom, cursor.at)) {
      const topic = cursor.decode(topicFrom, cursor.at, 'the topic');
      checkTopic(cursor, topic, 'the topic');
      message.topic = this.#topic.keep(topic);
    } else if (topicBytes === 0) checkTopic(cursor, '', 'the topic');
    const qos = (firstByte >> 1) & 3;
    message.qos = qos === 0 ? 0 : qos === 1 ? 1 : 2;
    message.retain = (firstByte & 1) !== 0;
    message.dup = (firstByte & 8) !== 0;
    message.packetId = qos === 0 ? 0 : cursor.packetId();
    if (version === 5) this.#properties(cursor);
    message.payload = cursor.failed ? none : cursor.rest();
    return message;
  }

  /** Lets go of the payload. */
  release(): void {
    this.#message.payload = none;
  }

  #properties(cursor: Cursor): void {
    const message = this.#message;
    properties.read(cursor, places.publish);
    message.payloadIsText = properties.payloadIsText;
    message.messageExpirySeconds = properties.messageExpirySeconds;
    if (!properties.hasContentType) {
      message.contentType = undefined;
      return;
    }
    const { contentTypeFrom, contentTypeTo } = properties;
    if (this.#contentType.is(cursor, contentTypeFrom, contentTypeTo)) {
      message.contentType = this.#contentType.text;
      return;
    }
    const contentType = cursor.decode(contentTypeFrom, contentTypeTo, 'contentType');
    message.contentType = this.#contentType.keep(contentType);
  }
}

/** A text that is mostly the same as in the message before: a string is made only where it is not. */
class KeptText {
  text = '';
  #bytes = new DataView(none.buffer);

  keep(text: string): string {
    this.text = text;
    const { buffer, byteOffset, length } = Buffer.from(text);
    this.#bytes = new DataView(buffer, byteOffset, length);
    return text;
  }

  is(cursor: Cursor, from: number, to: number): boolean {
    return this.#bytes.byteLength === to - from && cursor.hasAt(from, this.#bytes);
  }
}
