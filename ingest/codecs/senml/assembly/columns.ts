/**
 * The columns that a scan fills, and the record that it reads. All places are in the one memory that `SenmlScanner`
 * (../scanner.ts) lays out; each is an i32.
 */

/** A function that skips something returns this instead of the place after it. */
export const gaveUp: i32 = -1;

/**
 * A bit for each member that a record has had, so that one given twice is noticed. `seenV`: any of the value fields, of
 * which a record has one.
 */
export const seenN: u32 = 1;
export const seenU: u32 = 2;
export const seenV: u32 = 4;
export const seenT: u32 = 8;
export const seenBn: u32 = 16;
export const seenBt: u32 = 32;
export const seenBu: u32 = 64;

export const nanosPerSecond: i64 = 1_000_000_000;

/** For each byte, where it may stand: the bits of `in…`. */
export const classes: usize = memory.data(256);
export const inName: u32 = 1;
export const atNameStart: u32 = 2;
/** In a unit, or a string value. */
export const inText: u32 = 4;

/** `kinds` of ../column-batch.ts. */
const stringKind: u8 = 1;
const boolKind: u8 = 2;

/**
 * The result of a scan, each an i32: the bytes of all names, of all units and of all string values; how many values are
 * not 0, how many records have another value than a number, and how many have no name of their own, nor a base name.
 */
export const found: usize = memory.data(24);
/** Where the memory begins that is not used here. */
export const free: usize = __heap_base;

// Where the columns begin, and the body.
let names: i32 = 0;
let units: i32 = 0;
let times: i32 = 0;
let values: i32 = 0;
let kinds: i32 = 0;
let texts: i32 = 0;
export let body: i32 = 0;
export let recordsMax: i32 = 0;
/** At most 127, so that the length of a text takes one byte. */
let textBytesMax: i32 = 0;
/** Times below it are relative to now. */
let relativeBelow: i64 = 0;
let secondsMin: i64 = 0;
let secondsMax: i64 = 0;

// The record that is read, and the base fields.
let name: i32 = 0;
let nameBytes: i32 = 0;
let unit: i32 = 0;
let unitBytes: i32 = 0;
let kind: u8 = 0;
let text: i32 = 0;
let textBytes: i32 = 0;
let seconds: i64 = 0;
let nanos: i64 = 0;
let baseName: i32 = 0;
let baseNameBytes: i32 = 0;
let baseUnit: i32 = 0;
let baseUnitBytes: i32 = 0;
let baseSeconds: i64 = 0;
let baseNanos: i64 = 0;

// Where the columns end so far; and the time of receipt.
let namesEnd: i32 = 0;
let unitsEnd: i32 = 0;
let textsEnd: i32 = 0;
let numbers: i32 = 0;
let otherKinds: i32 = 0;
let unnamed: i32 = 0;
let nowSeconds: i64 = 0;
let nowNanos: i64 = 0;

/**
 * Where the columns and the body begin, and the limits. Names, units and texts each need `recordsMax` ×
 * (`textBytesMax` + 1) bytes and 16 more, times and values 8 for each record, kinds one; after a body there must be 16
 * bytes.
 */
export function setUp(
  namesAt: i32,
  unitsAt: i32,
  textsAt: i32,
  timesAt: i32,
  valuesAt: i32,
  kindsAt: i32,
  bodyAt: i32,
  records: i32,
  textBytes: i32,
): void {
  names = namesAt;
  units = unitsAt;
  texts = textsAt;
  times = timesAt;
  values = valuesAt;
  kinds = kindsAt;
  body = bodyAt;
  recordsMax = records;
  textBytesMax = textBytes;
}

/** Times below `relative` seconds are relative to now; a resolved time must be from `first` to `last`. */
export function setTimes(relative: f64, first: f64, last: f64): void {
  relativeBelow = <i64>relative;
  secondsMin = <i64>first;
  secondsMax = <i64>last;
}

/** A message begins. */
export function begin(now: f64, nanosOfNow: f64): void {
  nowSeconds = <i64>now;
  nowNanos = <i64>nanosOfNow;
  namesEnd = names;
  unitsEnd = units;
  textsEnd = texts;
  numbers = 0;
  otherKinds = 0;
  unnamed = 0;
  baseNameBytes = 0;
  baseUnitBytes = 0;
  baseSeconds = 0;
  baseNanos = 0;
}

/** A record begins. */
export function beginRecord(): void {
  nameBytes = 0;
  unitBytes = 0;
  kind = 0;
  textBytes = 0;
  seconds = 0;
  nanos = 0;
}

export function setName(at: i32, bytes: i32): void {
  name = at;
  nameBytes = bytes;
}

export function setUnit(at: i32, bytes: i32): void {
  unit = at;
  unitBytes = bytes;
}

export function setTime(whole: i64, fraction: i64): void {
  seconds = whole;
  nanos = fraction;
}

export function setBaseName(at: i32, bytes: i32): void {
  baseName = at;
  baseNameBytes = bytes;
}

export function setBaseUnit(at: i32, bytes: i32): void {
  baseUnit = at;
  baseUnitBytes = bytes;
}

export function setBaseTime(whole: i64, fraction: i64): void {
  baseSeconds = whole;
  baseNanos = fraction;
}

export function setValue(index: i32, value: f64): void {
  store<f64>(values + (index << 3), value);
  // A 0 below zero is a value, too.
  if (reinterpret<i64>(value) != 0) numbers++;
}

export function setBool(index: i32, value: bool): void {
  setValue(index, value ? 1 : 0);
  kind = boolKind;
}

export function setString(index: i32, at: i32, bytes: i32): void {
  store<f64>(values + (index << 3), 0);
  kind = stringKind;
  text = at;
  textBytes = bytes;
}

/** A record ends, which had these members: the base fields are applied. False: give up. */
export function endRecord(index: i32, seen: u32): bool {
  if (!(seen & seenV)) return false;
  if (!(seen & (seenN | seenBn))) unnamed++;
  if (!(seen & seenU)) {
    unit = baseUnit;
    unitBytes = baseUnitBytes;
  }
  store<u8>(kinds + index, kind);
  if (kind != 0) otherKinds++;
  unitsEnd = putText(unit, unitBytes, unitsEnd);
  textsEnd = putText(text, textBytes, textsEnd);
  if (unitsEnd == gaveUp || textsEnd == gaveUp || baseUnitBytes > textBytesMax) return false;
  return appendName() && appendTime(index);
}

/** The message ends. */
export function end(): void {
  store<i32>(found, namesEnd - names);
  store<i32>(found, unitsEnd - units, 4);
  store<i32>(found, textsEnd - texts, 8);
  store<i32>(found, numbers, 12);
  store<i32>(found, otherKinds, 16);
  store<i32>(found, unnamed, 20);
}

/** Base name + name. False: it is too long, or does not begin with a letter or digit. */
function appendName(): bool {
  const bytes = baseNameBytes + nameBytes;
  if (bytes > textBytesMax) return false;
  store<u8>(namesEnd, <u8>bytes);
  const start = namesEnd + 1;
  copyText(baseName, baseNameBytes, start);
  copyText(name, nameBytes, start + baseNameBytes);
  namesEnd = start + bytes;
  return bytes > 0 && (load<u8>(classes + load<u8>(start)) & atNameStart) != 0;
}

/** Puts a text at the end of its column. Returns the new end, or `gaveUp` where it is too long. */
function putText(from: i32, bytes: i32, end: i32): i32 {
  if (bytes > textBytesMax) return gaveUp;
  store<u8>(end, <u8>bytes);
  copyText(from, bytes, end + 1);
  return end + 1 + bytes;
}

/** Base time + time; those that are relative begin now (RFC 8428 §4.5.3). */
function appendTime(index: i32): bool {
  let allSeconds = seconds + baseSeconds;
  let allNanos = nanos + baseNanos;
  if (allNanos >= nanosPerSecond) {
    allNanos -= nanosPerSecond;
    allSeconds += 1;
  }
  if (allSeconds < relativeBelow) {
    allSeconds += nowSeconds;
    allNanos += nowNanos;
    if (allNanos >= nanosPerSecond) {
      allNanos -= nanosPerSecond;
      allSeconds += 1;
    }
  }
  if (allSeconds < secondsMin || allSeconds > secondsMax) return false;
  store<i64>(times + (index << 3), allSeconds * nanosPerSecond + allNanos);
  return true;
}

/** The bytes of the character after ASCII that stands there, as RFC 3629 §4 has them; 0 where none does. */
export function charBytes(at: i32): i32 {
  const first = load<u8>(at);
  const second = load<u8>(at, 1);
  if (first < 0xc2 || first > 0xf4 || (second & 0xc0) != 0x80) return 0;
  if (first < 0xe0) return 2;
  if ((load<u8>(at, 2) & 0xc0) != 0x80) return 0;
  if (first < 0xf0) {
    // It would fit into two bytes, or is half of a pair of UTF-16.
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
    return 3;
  }
  if ((load<u8>(at, 3) & 0xc0) != 0x80) return 0;
  // It would fit into three bytes, or is after the last character.
  if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
  return 4;
}

/** Sixteen bytes at a time: up to 15 more than the text has. */
function copyText(from: i32, bytes: i32, to: i32): void {
  for (let at = 0; at < bytes; at += 16) v128.store(to + at, v128.load(from + at));
}
