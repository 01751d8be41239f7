import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';
import { findDuplicateMember } from './json/duplicate-members.ts';
import { JsonReader } from './json/json.ts';
import { type CodecLimits, isObject, malformed, type Rejected } from './rejected.ts';
import { encodeJson, encodeSenml } from './row-binary.ts';
import { SenmlResolver } from './senml/senml.ts';
import { SenmlCbor } from './senml/cbor.ts';
import { SenmlScanner } from './senml/scanner.ts';
import { JsonText } from './json/text.ts';
import { Transformer } from './json/transformer.ts';

export type { CodecLimits, Rejected } from './rejected.ts';

/**
 * Reads one message at a time into memory of its own, and writes it out as one RowBinary row. What was
 * read stays until the next `read`.
 */
export type MessageCodec = {
  /** Of the message that was read last. */
  readonly format: 'senml' | 'json';
  readonly records: number;
  /**
   * Takes a body whole or not at all, in the format the profile names, or else the request's
   * `Content-Type`. `nowMs` is the time of receipt. Undefined: accepted.
   */
  read(
    body: Uint8Array,
    contentType: string,
    profile: ProfileConfig,
    nowMs: number,
  ): Rejected | undefined;
  /** Who sent it (UUID as `uuidToRowBinary` gives it) and under which subtopic. */
  address(publisher: Uint8Array, subtopic: string): void;
  /** Writes its row at `offset`; returns the offset after it, or -1 when it does not fit. */
  encode(target: Buffer, offset: number): number;
  /** What kind of payload webhooks get of it. */
  payloadType(contentType: string, profile: ProfileConfig): PayloadType;
  /**
   * Writes what webhooks get of it: the `body` it was read from, or what the profile's transformer made of
   * that. Returns the offset after it, or -1 when it does not fit.
   */
  encodePayload(body: Uint8Array, profile: ProfileConfig, target: Buffer, offset: number): number;
};

export type PayloadType = 'json' | 'senml+json' | 'senml+cbor';

/** `either`: SenML when every element looks like it, otherwise JSON. */
type BodyKind = 'senml+json' | 'senml+cbor' | 'json' | 'either';

/** What a profile means for reading; made once per profile. */
type Prepared = { kind: BodyKind | 'unknown' | undefined; transformer: Transformer | undefined };

const valueFields = ['v', 'vs', 'vb', 'vd'] as const;
const nowhere = new Uint8Array(16);

export function createCodec(limits: CodecLimits): MessageCodec {
  return new Codec(limits);
}

class Codec implements MessageCodec {
  format: 'senml' | 'json' = 'senml';
  records = 0;

  readonly #text: JsonText;
  readonly #cbor: SenmlCbor;
  readonly #senml: SenmlResolver;
  readonly #scanner: SenmlScanner;
  readonly #json: JsonReader;
  readonly #prepared = new WeakMap<ProfileConfig, Prepared>();
  #publisher: Uint8Array = nowhere;
  #subtopic = '';

  constructor(limits: CodecLimits) {
    this.#text = new JsonText(limits);
    this.#cbor = new SenmlCbor(limits);
    this.#senml = new SenmlResolver(limits);
    this.#scanner = new SenmlScanner(this.#senml.pack, limits);
    this.#json = new JsonReader(limits);
  }

  read(
    body: Uint8Array,
    contentType: string,
    profile: ProfileConfig,
    nowMs: number,
  ): Rejected | undefined {
    const prepared = this.#prepared.get(profile) ?? this.#prepare(profile);
    const kind = prepared.kind ?? kindOf(contentType);
    if (kind === 'unknown') return unsupported;
    if (kind === 'senml+json' && this.#scanner.scan(body, nowMs)) {
      this.format = 'senml';
      this.records = this.#senml.pack.count;
      return undefined;
    }
    if (kind === 'senml+cbor') {
      return this.#cbor.read(body) ?? this.#readSenml(this.#cbor.value, nowMs);
    }
    const rejected = this.#text.read(body);
    if (rejected !== undefined) return rejected;
    const isSenml =
      kind === 'senml+json' || (kind === 'either' && looksLikeSenml(this.#text.value));
    return isSenml
      ? (this.#readSenml(this.#text.value, nowMs) ?? this.#duplicate(this.#senml.members))
      : (this.#readJson(nowMs, prepared.transformer) ?? this.#duplicate(this.#json.members));
  }

  address(publisher: Uint8Array, subtopic: string): void {
    this.#publisher = publisher;
    this.#subtopic = subtopic;
  }

  encode(target: Buffer, offset: number): number {
    return this.format === 'senml'
      ? encodeSenml(this.#senml.pack, this.#publisher, this.#subtopic, target, offset)
      : encodeJson(this.#json.pack, this.#publisher, this.#subtopic, target, offset);
  }

  payloadType(contentType: string, profile: ProfileConfig): PayloadType {
    const kind = this.#prepared.get(profile)?.kind ?? kindOf(contentType);
    return kind === 'senml+json' || kind === 'senml+cbor' ? kind : 'json';
  }

  encodePayload(body: Uint8Array, profile: ProfileConfig, target: Buffer, offset: number): number {
    const transformer = this.#prepared.get(profile)?.transformer;
    if (this.format === 'json' && transformer !== undefined) {
      return this.#json.pack.encodeText(transformer.keepsList(this.#text.value), target, offset);
    }
    if (offset + body.length > target.length) return -1;
    target.set(body, offset);
    return offset + body.length;
  }

  #readSenml(value: unknown, nowMs: number): Rejected | undefined {
    const rejected = this.#senml.resolve(value, nowMs);
    this.format = 'senml';
    this.records = this.#senml.pack.count;
    return rejected;
  }

  #readJson(nowMs: number, transformer: Transformer | undefined): Rejected | undefined {
    const rejected = this.#json.read(this.#text, nowMs, transformer);
    this.format = 'json';
    this.records = this.#json.pack.count;
    return rejected;
  }

  #duplicate(members: number): Rejected | undefined {
    if (members === this.#text.members) return undefined;
    return malformed(findDuplicateMember(this.#text.text));
  }

  #prepare(profile: ProfileConfig): Prepared {
    const { content_type: contentType, transformer } = profile;
    const prepared: Prepared = {
      kind: contentType ? kindInProfile(contentType) : undefined,
      transformer: transformer === undefined ? undefined : new Transformer(transformer),
    };
    this.#prepared.set(profile, prepared);
    return prepared;
  }
}

const unsupported: Rejected = {
  code: 'unsupported_type',
  detail: 'use application/senml+json, application/senml+cbor or application/json',
};

function kindOf(contentType: string): BodyKind | 'unknown' {
  switch (contentType) {
    case 'application/senml+json':
      return 'senml+json';
    case 'application/json':
      return 'either';
    case 'application/senml+cbor':
      return 'senml+cbor';
    default:
      return kindOfLoose(contentType);
  }
}

/** In any case, and with parameters. */
function kindOfLoose(contentType: string): BodyKind | 'unknown' {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === contentType ? 'unknown' : kindOf(type);
}

/** A profile that says JSON means it. */
function kindInProfile(contentType: string): BodyKind | 'unknown' {
  const kind = kindOf(contentType);
  return kind === 'either' ? 'json' : kind;
}

function looksLikeSenml(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every(
    (element: unknown) =>
      isObject(element) &&
      (typeof element['n'] === 'string' || typeof element['bn'] === 'string') &&
      valueFields.some((field) => Object.hasOwn(element, field)),
  );
}
