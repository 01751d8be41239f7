import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import pino from 'pino';
import { Secret } from '../../../infra/runtime/process/config.ts';
import { createKeyVault } from '../../../infra/runtime/process/secrets.ts';
import { newRequestId } from '../../../infra/runtime/process/request-id.ts';
import {
  compressFrames,
  decompressFrames,
  readFrames,
} from '../../../infra/runtime/webhooks/frames.ts';
import { KeyJournal } from '../../../ingest/auth/journal/key-journal.ts';
import { parseSnapshot } from '../../../ingest/auth/journal/snapshot.ts';
import { credentialOfHeader } from '../../../ingest/doors/http/authorization.ts';
import { Guesses } from '../../../ingest/auth/guesses.ts';
import { KnownThing } from '../../../ingest/auth/known/known-things.ts';
import { OrgMeters } from '../../../ingest/rates/org-meters.ts';
import { ThingKeys } from '../../../ingest/auth/thing-keys.ts';
import { Codec } from '../../../ingest/codecs/codec.ts';
import { precisionOf } from '../../../ingest/codecs/line/precision.ts';
import { LineReader } from '../../../ingest/codecs/line/reader.ts';
import { lineRowsBytes, writeLineRows } from '../../../ingest/codecs/line/row-binary.ts';
import { type Envelope, rowBytes, writeRow } from '../../../ingest/codecs/row-binary.ts';
import { uuidToRowBinary } from '../../../ingest/codecs/uuid.ts';
import { SenmlResolver } from '../../../ingest/codecs/senml/senml.ts';
import { SenmlScanner } from '../../../ingest/codecs/senml/scanner.ts';
import { JsonText } from '../../../ingest/codecs/json/text.ts';
import { writeWebhookFrame } from '../../../ingest/codecs/webhook-frame.ts';
import { limits } from '../../../ingest/limits.ts';
import {
  commonMarks,
  frameHeaderBytes,
  sealFrames,
  validFrameEnd,
  writeHeader,
} from '../../../ingest/log/format.ts';
import { parseSubtopic } from '../../../schemas/messages/subtopic.ts';
import { signatures, signingKey } from '../../../workers/webhooks/prepare/signature.ts';
import { atLeast, atMost, type Figure, info } from '../../harness/figures.ts';
import { type Scenario } from '../../harness/setup.ts';
import { appending } from './log-append.ts';
import { mqttPackets } from './mqtt-packets.ts';
import { cborPack, jsonMessage, jsonProfile } from '../../harness/messages.ts';
import { perSecond } from '../../harness/per-second.ts';
import { lineProtocol, loadPacks } from '../../peers/points.ts';
import { pack, seededRandom } from '../../harness/requests.ts';

/** Different ones, so that branch prediction does not learn them; a sample uses all of them. */
const bodiesPerSample = 64;
const nowMs = 1_700_000_000_000;

const codecLimits = {
  recordsPerMessageMax: 10_000,
  nestingMax: 32,
  nameCharsMax: limits.nameCharsMax,
  membersPerObjectMax: limits.membersPerObjectMax,
  containersMax: limits.containersMax,
};
const envelope: Envelope = {
  publisher: uuidToRowBinary(randomUUID()),
  protocol: 'http',
  subtopic: '',
};
const target = Buffer.alloc(4 * 1024 * 1024);

/** Each hot function alone, beside `JSON.parse` of the same bytes; whole requests are in `againstBare`. */
export const micro: Scenario = async () => [
  ...(await scanning()),
  ...(await otherFormats()),
  ...(await lineProtocols()),
  ...(await framing()),
  ...(await appending()),
  ...(await forwarding()),
  ...(await mqttPackets()),
  ...(await keyLookUp(10_000)),
  ...(await keyLookUp(100_000)),
];

type Body = { text: string; bytes: Buffer };

function bodies(write: (random: () => number, at: number) => string | Buffer): Body[] {
  const random = seededRandom(bodiesPerSample);
  return Array.from({ length: bodiesPerSample }, (_, at) => {
    const body = write(random, at);
    return typeof body === 'string'
      ? { text: body, bytes: Buffer.from(body) }
      : { text: '', bytes: body };
  });
}

const packs = (records: number) => bodies((random, at) => pack(random, at, records, 1_700_000_000));

const bytesOf = (list: Body[]) => list.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** The scanner on typical messages, and its cost where it gives up. */
export async function scanning(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const resolver = new SenmlResolver(codecLimits);
  const scanner = new SenmlScanner(resolver.batch, codecLimits);
  const text = new JsonText(codecLimits);
  for (const records of [1, 10, 100]) {
    const list = packs(records);
    const megabytes = bytesOf(list) / 1e6;
    const rate = await perSecond({
      parse: () => {
        for (const body of list) JSON.parse(body.text);
      },
      scan: () => {
        for (const { bytes } of list) mustTake(scanner.scanJson(bytes, nowMs));
      },
      plain: () => {
        for (const { bytes } of list) {
          mustTake(text.read(bytes) === undefined);
          mustTake(resolver.resolve(text.value, nowMs) === undefined);
        }
      },
    });
    const times = rate('scan') / rate('parse');
    figures.push(
      info(`S${records} JSON.parse`, rate('parse') * megabytes, 'MB/s'),
      info(`S${records} scan`, rate('scan') * megabytes, 'MB/s'),
      records === 1
        ? info('S1 scan to JSON.parse', times, 'ratio')
        : atLeast(`S${records} scan to JSON.parse`, times, 'ratio', 4),
      info(`S${records} the plain way (check, parse, resolve)`, rate('plain') * megabytes, 'MB/s'),
    );
  }
  for (const records of [10, 100]) {
    // What a serialiser writes on several lines is seen at once; an exponent of three digits in the last record only at
    // the end.
    const spaced = bodies((random, at) =>
      pack(random, at, records, 1_700_000_000).replaceAll(',', ',\n  '),
    );
    const late = bodies((random, at) =>
      pack(random, at, records, 1_700_000_000).replace(/\d+(\.\d+)?\}\]$/, '1e300}]'),
    );
    const scanThenParse = (list: Body[]) => () => {
      for (const body of list) {
        if (!scanner.scanJson(body.bytes, nowMs)) JSON.parse(body.text);
      }
    };
    const parse = (list: Body[]) => () => {
      for (const body of list) JSON.parse(body.text);
    };
    const rate = await perSecond({
      spacedParse: parse(spaced),
      spaced: scanThenParse(spaced),
      lateParse: parse(late),
      late: scanThenParse(late),
    });
    const early = rate('spaced') / rate('spacedParse');
    figures.push(
      atLeast(`S${records} given up, then parsed, to JSON.parse`, early, 'ratio', 0.95),
      info(
        `S${records} given up at the last record, to JSON.parse`,
        rate('late') / rate('lateParse'),
        'ratio',
      ),
    );
  }
  return figures;
}

function mustTake(taken: boolean): void {
  if (!taken) throw new Error('a message was not taken');
}

/** The record, with another value if one is given. */
function withoutNumber(record: object, other: object | undefined): object {
  if (other === undefined) return record;
  const { v: _, ...rest } = Object(record);
  return { ...rest, ...other };
}

/** SenML in JSON in several forms, in CBOR, and JSON through a transformer: read and encoded. */
async function otherFormats(): Promise<Figure[]> {
  const codec = new Codec(codecLimits);
  const senml = packs(10);
  const kinds = bodies((random, at) => {
    const records: object[] = JSON.parse(pack(random, at, 10, 1_700_000_000));
    const others = [{ vb: random() < 0.5 }, { vs: `state ${at}` }];
    return JSON.stringify(records.map((record, i) => withoutNumber(record, others[i])));
  });
  // Values that a program has calculated, with all digits of a double.
  const computed = bodies((random, at) => {
    const records: object[] = JSON.parse(pack(random, at, 10, 1_700_000_000));
    return JSON.stringify(records.map((record) => ({ ...record, v: 100 * random() })));
  });
  // As Python's json.dumps writes it.
  const python = bodies((random, at) =>
    pack(random, at, 10, 1_700_000_000).replaceAll(',', ', ').replaceAll('":', '": '),
  );
  const cbor = bodies((random, at) => cborPack(pack(random, at, 10, 1_700_000_000)));
  const json = bodies((random, at) => jsonMessage(random, at, 10, 1_700_000_000));
  const read = (list: Body[], contentType: string, profile: object) => () => {
    for (const { bytes } of list) {
      const batch = codec.read(bytes, contentType, profile, nowMs);
      if (batch.kind === 'refused') throw new Error(batch.detail);
      mustTake(rowBytes(batch, '') <= target.length);
      writeRow(batch, envelope, target, 0);
    }
  };
  const profile = {};
  const rate = await perSecond({
    senml: read(senml, 'application/senml+json', profile),
    kinds: read(kinds, 'application/senml+json', profile),
    python: read(python, 'application/senml+json', profile),
    computed: read(computed, 'application/senml+json', profile),
    cbor: read(cbor, 'application/senml+cbor', profile),
    json: read(json, 'application/json', jsonProfile),
    jsonParse: () => {
      for (const body of json) JSON.parse(body.text);
    },
    subtopic: () => {
      for (let at = 0; at < bodiesPerSample; at++) parseSubtopic('building/2/floor/4', 254);
    },
  });
  const megabytes = (list: Body[]) => bytesOf(list) / 1e6;
  return [
    info('S10 read and encoded', rate('senml') * megabytes(senml), 'MB/s'),
    info('S10 read and encoded, a message', 1e9 / rate('senml') / bodiesPerSample, 'ns'),
    info('S10 with a boolean and a string, a message', 1e9 / rate('kinds') / bodiesPerSample, 'ns'),
    info('S10 with all digits, a message', 1e9 / rate('computed') / bodiesPerSample, 'ns'),
    info('S10 as Python writes it, a message', 1e9 / rate('python') / bodiesPerSample, 'ns'),
    info('CBOR of 10 read and encoded', rate('cbor') * megabytes(cbor), 'MB/s'),
    info('CBOR of 10 read and encoded, a message', 1e9 / rate('cbor') / bodiesPerSample, 'ns'),
    info('JSON of 10 transformed and encoded', rate('json') * megabytes(json), 'MB/s'),
    info('JSON of 10 transformed, a message', 1e9 / rate('json') / bodiesPerSample, 'ns'),
    info('JSON of 10, JSON.parse', rate('jsonParse') * megabytes(json), 'MB/s'),
    info('subtopic', 1e9 / rate('subtopic') / bodiesPerSample, 'ns'),
  ];
}

/** Line protocol as `lines` sends it, read and encoded as rows; each line is of another series. */
async function lineProtocols(): Promise<Figure[]> {
  const reader = new LineReader({ ...codecLimits, recordsMax: 10_000, subtopicCharsMax: 254 });
  const precision = precisionOf('ms');
  if (precision === undefined) throw new Error('there is no precision ms');
  const room = { bytes: target, view: new DataView(target.buffer) };
  const profile = {};
  const figures: Figure[] = [];
  for (const points of [10, 100]) {
    const list = [...loadPacks(points)].map((each) => Buffer.from(lineProtocol(each)));
    const rate = await perSecond({
      read: () => {
        for (const body of list) {
          const read = reader.read(body, precision, profile, nowMs);
          if (read.kind === 'refused') throw new Error(read.detail);
          mustTake(lineRowsBytes(read.batch) <= target.length);
          writeLineRows(read.batch, { ...envelope, protocol: 'line' }, room, 0);
        }
      },
    });
    const perLine = 1e9 / rate('read') / list.length / points;
    figures.push(atMost(`L${points} read and encoded, a line`, perLine, 'ns', 1_000));
  }
  return figures;
}

/** A message that was read, written as a row; the row made a frame; the frame checked when it is read back. */
async function framing(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const resolver = new SenmlResolver(codecLimits);
  const scanner = new SenmlScanner(resolver.batch, codecLimits);
  for (const records of [1, 10, 100]) {
    const [body] = packs(records);
    if (body === undefined) throw new Error('there is no body');
    mustTake(scanner.scanJson(body.bytes, nowMs));
    const encode = () => writeRow(resolver.batch, envelope, target, frameHeaderBytes);
    const payloadBytes = encode() - frameHeaderBytes;
    const turns = bodiesPerSample;
    const rate = await perSecond({
      encode: () => {
        for (let turn = 0; turn < turns; turn++) encode();
      },
      seal: () => {
        for (let turn = 0; turn < turns; turn++) {
          const end = writeHeader(target, 0, payloadBytes, 'senml', records, turn);
          sealFrames(target, end, commonMarks);
        }
      },
      check: () => {
        for (let turn = 0; turn < turns; turn++) {
          mustTake(validFrameEnd(target, 0, target.length, commonMarks) !== -1);
        }
      },
    });
    figures.push(
      info(`S${records} row, bytes per record`, payloadBytes / records, 'bytes'),
      info(`S${records} encoded as a row`, 1e9 / rate('encode') / turns, 'ns'),
      info(`S${records} framed, with its checksum`, 1e9 / rate('seal') / turns, 'ns'),
      info(`S${records} frame checked`, 1e9 / rate('check') / turns, 'ns'),
    );
  }
  return figures;
}

/** The cost of a message of 10 on its way to webhooks: in a bundle of 64 that is stored and read, and signed. */
async function forwarding(): Promise<Figure[]> {
  const codec = new Codec(codecLimits);
  const contentType = 'application/senml+json';
  const requestId = newRequestId();
  const ofFleet = { ...envelope, requestId, atMs: nowMs };
  let end = 0;
  for (const { bytes } of packs(10)) {
    const batch = codec.read(bytes, contentType, {}, nowMs);
    if (batch.kind === 'refused') throw new Error(batch.detail);
    const payload = codec.webhookPayload(batch, bytes, contentType, {});
    end = writeWebhookFrame({ ...ofFleet, payload }, target, end);
  }
  const frames = Buffer.from(target.subarray(0, end));
  const compressed = compressFrames(frames);
  const [body] = packs(10);
  const keys = [signingKey('a secret of the bench')];
  const rate = await perSecond({
    keep: () => compressFrames(frames),
    read: () => readFrames(decompressFrames(compressed)),
    sign: () => {
      for (let turn = 0; turn < bodiesPerSample; turn++) {
        signatures(keys, 'a message to a webhook', '1700000000', body?.bytes ?? frames);
      }
    },
  });
  return [
    info('S10 in a pack of 64, bytes a message', frames.length / bodiesPerSample, 'bytes'),
    info('S10 in a pack of 64, compressed', compressed.length / bodiesPerSample, 'bytes'),
    info('S10 put into a pack', 1e9 / rate('keep') / bodiesPerSample, 'ns'),
    info('S10 taken out of a pack', 1e9 / rate('read') / bodiesPerSample, 'ns'),
    info('S10 signed for a webhook', 1e9 / rate('sign') / bodiesPerSample, 'ns'),
  ];
}

/** The lookup of a cached credential, among so many. */
async function keyLookUp(count: number): Promise<Figure[]> {
  const logger = pino({ level: 'silent' });
  const snapshot = parseSnapshot('10:10:');
  const journal = new KeyJournal({
    load: () => Promise.resolve({ snapshot, changes: [], end: undefined }),
    times: {
      pollMs: 1e9,
      restAfterMs: 1e9,
      restMs: 1e9,
      freshMsMax: 1e9,
      gapMsMax: 1e9,
      rememberMs: 1e9,
    },
    logger,
    onChange: () => undefined,
    onGap: () => undefined,
  });
  // Never connected, and never called.
  const redis = new Redis({ lazyConnect: true });
  const keys = new ThingKeys({
    lookup: createKeyVault(new Secret('micro'.repeat(8))).lookup,
    load: (lookups) =>
      Promise.resolve({
        snapshot,
        things: new Map(
          lookups.map((lookup) => [
            lookup,
            {
              kind: 'thing',
              thing: {
                id: randomUUID(),
                places: [],
                config: {},
                hasWebhooks: false,
                hasRules: false,
                isGateway: false,
              },
            },
          ]),
        ),
      }),
    redis,
    journal,
    guesses: new Guesses({ perMinuteMax: 1_000, networksMax: 1 }),
    deviceGuesses: new Guesses({ perMinuteMax: 1_000, networksMax: 1 }),
    meters: new OrgMeters(),
    limits: {
      knownMax: limits.knownKeysMax,
      knownBytesMax: Number.MAX_SAFE_INTEGER,
      cachedBytesMax: limits.cachedThingBytesMax,
      unknownMax: limits.unknownKeysMax,
      unknownIdMs: limits.unknownIdMs,
      waitingMax: limits.waitingKeysMax,
      perLoadMax: limits.keysPerLoadMax,
    },
    logger,
  });
  const headers = Array.from({ length: count }, () => `Thing ${randomUUID()}`);
  for (let at = 0; at < count; at += limits.keysPerLoadMax) {
    await Promise.all(
      headers
        .slice(at, at + limits.keysPerLoadMax)
        .map((one) => keys.find(credentialOfHeader(one), '127.0.0.1')),
    );
  }
  let next = 0;
  const known = new KnownThing();
  // As in a request: a new string, whose hash is not cached yet.
  const bytes = headers.map((header) => Buffer.from(header));
  const rate = await perSecond({
    remembered: () => {
      for (let turn = 0; turn < bodiesPerSample; turn++) {
        next = (next + 7_919) % count;
        const header = bytes[next]?.toString('latin1') ?? '';
        mustTake(keys.recall(credentialOfHeader(header), known));
      }
    },
  });
  redis.disconnect();
  return [info(`key looked up, of ${count}`, 1e9 / rate('remembered') / bodiesPerSample, 'ns')];
}
