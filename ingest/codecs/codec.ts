import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';
import { type BodyKind, bodyKindInProfile, bodyKindOf, looksLikeSenml } from './content-type.ts';
import type { JsonColumnBatch } from './json/column-batch.ts';
import { findDuplicateMember } from './json/duplicate-members.ts';
import { JsonReader } from './json/json.ts';
import { absent, Path } from '../../schemas/transform/path.ts';
import { JsonText } from './json/text.ts';
import { Transformer } from '../../schemas/transform/transformer.ts';
import { type CodecLimits, malformed, type Rejected } from './rejected.ts';
import { isObject, shown } from '../../schemas/json/shown.ts';
import type { ColumnBatch } from './row-binary.ts';
import { SenmlCbor } from './senml/cbor.ts';
import type { SenmlColumnBatch } from './senml/column-batch.ts';
import { SenmlScanner } from './senml/scanner.ts';
import { SenmlResolver, withExactTimes } from './senml/senml.ts';

/** The kind of a payload for webhooks. */
export type PayloadType = 'json' | 'senml+json' | 'senml+cbor';

/** The payload of a message for webhooks: the body as it came, or the records that the profile's transformer made of it. */
export type WebhookPayload =
  | { kind: 'body'; type: PayloadType; body: Uint8Array }
  | { kind: 'batch'; type: 'json'; batch: JsonColumnBatch; isList: boolean };

const openBracket = 0x5b;

/** How messages of a profile are read; made once per profile. */
type Prepared = {
  kind: BodyKind | 'unknown' | undefined;
  transformer: Transformer | undefined;
  /** Where a message names a device, if it is of a gateway. */
  devicePath: Path | undefined;
};

/** Reads messages, one at a time, into memory that it keeps for the next one. */
export class Codec {
  readonly #text: JsonText;
  readonly #cbor: SenmlCbor;
  readonly #senml: SenmlResolver;
  readonly #scanner: SenmlScanner;
  readonly #json: JsonReader;
  readonly #prepared = new WeakMap<ProfileConfig, Prepared>();
  /** The body that the text was read from, if it was not taken since. */
  #textOf: Uint8Array | undefined;

  constructor(limits: CodecLimits) {
    this.#text = new JsonText(limits);
    this.#cbor = new SenmlCbor(limits);
    this.#senml = new SenmlResolver(limits);
    this.#scanner = new SenmlScanner(this.#senml.batch, limits);
    this.#json = new JsonReader(limits);
  }

  /**
   * Takes a body whole or not at all, in the format the profile names, or else the request's `Content-Type`.
   * `nowMs` is the time of receipt. The batch is borrowed until the next call.
   */
  read(
    body: Uint8Array,
    contentType: string,
    profile: ProfileConfig,
    nowMs: number,
  ): ColumnBatch | Rejected {
    const prepared = this.#prepared.get(profile) ?? this.#prepare(profile);
    const kind = prepared.kind ?? bodyKindOf(contentType);
    if (kind === 'unknown') return unsupported;
    if (kind === 'senml+json' && this.#scanner.scanJson(body, nowMs)) return this.#senml.batch;
    if (kind === 'senml+cbor') {
      if (this.#scanner.scanCbor(body, nowMs)) return this.#senml.batch;
      return this.#cbor.read(body) ?? this.#readSenml(this.#cbor.value, nowMs);
    }
    if (kind === 'either' && this.#scanLikelySenml(body, nowMs)) return this.#senml.batch;
    const rejected = this.#textOf === body ? undefined : this.#text.read(body);
    this.#textOf = undefined;
    if (rejected !== undefined) return rejected;
    const isSenml =
      kind === 'senml+json' || (kind === 'either' && looksLikeSenml(this.#text.value));
    return isSenml
      ? this.#duplicate(this.#readSenml(withExactTimes(this.#text), nowMs), this.#senml.members)
      : this.#duplicate(this.#readJson(nowMs, prepared.transformer), this.#json.members);
  }

  /**
   * The name of a device in a body of a gateway with this profile: text, or a whole number. Undefined: it names none, or is
   * no JSON object. A `read` of the same body that follows parses nothing twice.
   */
  deviceIn(
    body: Uint8Array,
    contentType: string,
    profile: ProfileConfig,
  ): string | Rejected | undefined {
    const prepared = this.#prepared.get(profile) ?? this.#prepare(profile);
    const { devicePath } = prepared;
    if (devicePath === undefined) return undefined;
    const kind = prepared.kind ?? bodyKindOf(contentType);
    const mayBeObject = kind === 'json' || kind === 'either';
    if (!mayBeObject || body[0] === openBracket) return undefined;
    const rejected = this.#text.read(body);
    if (rejected !== undefined) return rejected;
    this.#textOf = body;
    const { value } = this.#text;
    const name = isObject(value) ? devicePath.find(value) : absent;
    if (name === absent || name === null || name === '') return undefined;
    if (typeof name === 'string') return name;
    if (typeof name === 'number' && Number.isSafeInteger(name)) return String(name);
    return malformed(`device_path ${shown(devicePath.text)}: must be text or a whole number`);
  }

  /** The refusal that `read` gives to any body of this type; undefined: it may be taken. */
  refusesType(contentType: string, profile: ProfileConfig): Rejected | undefined {
    const prepared = this.#prepared.get(profile) ?? this.#prepare(profile);
    return (prepared.kind ?? bodyKindOf(contentType)) === 'unknown' ? unsupported : undefined;
  }

  /** The payload for webhooks of the message that `read` made of these. Borrowed as the batch is. */
  webhookPayload(
    batch: ColumnBatch,
    body: Uint8Array,
    contentType: string,
    profile: ProfileConfig,
  ): WebhookPayload {
    const prepared = this.#prepared.get(profile);
    const transformer = prepared?.transformer;
    if (batch.format === 'json' && transformer !== undefined) {
      return {
        kind: 'batch',
        type: 'json',
        batch,
        isList: transformer.keepsList(this.#text.value),
      };
    }
    const kind = prepared?.kind ?? bodyKindOf(contentType);
    const type = kind === 'senml+json' || kind === 'senml+cbor' ? kind : 'json';
    return { kind: 'body', type, body };
  }

  /**
   * Of a body that says no more than JSON: whether it is SenML by `looksLikeSenml`, and of the usual kind. Then nothing of it
   * is parsed twice (benchmark: mqtt, whose messages seldom say what they are).
   */
  #scanLikelySenml(body: Uint8Array, nowMs: number): boolean {
    const isArray = body[0] === openBracket;
    return isArray && this.#scanner.scanJson(body, nowMs) && this.#scanner.eachIsNamed;
  }

  #readSenml(value: unknown, nowMs: number): SenmlColumnBatch | Rejected {
    return this.#senml.resolve(value, nowMs) ?? this.#senml.batch;
  }

  #readJson(nowMs: number, transformer: Transformer | undefined): JsonColumnBatch | Rejected {
    return this.#json.read(this.#text, nowMs, transformer) ?? this.#json.batch;
  }

  /** `members`: of the parsed value. If the text has more, one was given twice. */
  #duplicate(message: ColumnBatch | Rejected, members: number): ColumnBatch | Rejected {
    if (message.kind === 'refused' || members === this.#text.members) return message;
    return malformed(findDuplicateMember(this.#text.text));
  }

  #prepare(profile: ProfileConfig): Prepared {
    const { content_type: contentType, transformer, gateway } = profile;
    const devicePath = gateway?.device_path;
    const prepared: Prepared = {
      kind: contentType ? bodyKindInProfile(contentType) : undefined,
      transformer: transformer === undefined ? undefined : new Transformer(transformer),
      devicePath: devicePath === undefined ? undefined : new Path(devicePath),
    };
    this.#prepared.set(profile, prepared);
    return prepared;
  }
}

const unsupported: Rejected = {
  kind: 'refused',
  code: 'unsupported_type',
  detail: 'use application/senml+json, application/senml+cbor or application/json',
};
