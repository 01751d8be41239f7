/**
 * The part of `SenmlScanner` (../scanner.ts) that goes over the bytes, in AssemblyScript: TypeScript's form with the
 * types of WebAssembly. In JavaScript every access to an array is checked, and takes three times as long (benchmark:
 * micro). `npm run assembly` compiles it into scan.wasm; a test notices where that was forgotten.
 *
 * It reads and writes one memory at the places that `SenmlScanner` gives it. Every place is an i32. A function that
 * skips something returns the place after it, or `gaveUp`.
 */

const gaveUp: i32 = -1;

const quote: u8 = 0x22;
const comma: u8 = 0x2c;
const minus: u8 = 0x2d;
const point: u8 = 0x2e;
const zero: u8 = 0x30;
const colon: u8 = 0x3a;
const openBracket: u8 = 0x5b;
const closeBracket: u8 = 0x5d;
const openBrace: u8 = 0x7b;
const closeBrace: u8 = 0x7d;

/** A label with its quotes and colon, as four bytes read at once; the base labels take a colon more. */
const labelN: u32 = 0x3a226e22;
const labelU: u32 = 0x3a227522;
const labelV: u32 = 0x3a227622;
const labelT: u32 = 0x3a227422;
const labelBn: u32 = 0x226e6222;
const labelBt: u32 = 0x22746222;
const labelBu: u32 = 0x22756222;

/** A bit for each member that a record has had, so that one given twice is noticed. */
const seenN: u32 = 1;
const seenU: u32 = 2;
const seenV: u32 = 4;
const seenT: u32 = 8;
const seenBn: u32 = 16;
const seenBt: u32 = 32;
const seenBu: u32 = 64;

/** A decimal of up to this many digits is below 2^53, and its division by a power of ten rounds once: exactly. */
const digitsMax: i32 = 15;
/** A time with more decimal places is not whole nanoseconds. */
const timePlacesMax: i32 = 9;
const nanosPerSecond: i64 = 1_000_000_000;

const powersOfTen = memory.data<i64>([
  1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
  1_000_000_000_000_000,
]);

/** For each byte, where it may stand: the bits of `in…`. */
export const classes: usize = memory.data(256);
export const inName: u32 = 1;
export const atNameStart: u32 = 2;
export const inUnit: u32 = 4;

/** What a scan found: the bytes of all names, those of all units, and how many values are not 0, each an i32. */
export const found: usize = memory.data(12);
/** Where the memory begins that is not used here. */
export const free: usize = __heap_base;

// Where the columns begin, and the body.
let names: i32 = 0;
let units: i32 = 0;
let times: i32 = 0;
let values: i32 = 0;
let body: i32 = 0;
let recordsMax: i32 = 0;
/** At most 127, so that its length takes one byte. */
let textBytesMax: i32 = 0;
/** Times below it are relative to now. */
let relativeBelow: i64 = 0;
let secondsMin: i64 = 0;
let secondsMax: i64 = 0;

// The decimal read last: what is before and after its point, each as an integer.
let whole: i64 = 0;
let fraction: i64 = 0;
let decimalPlaces: i32 = 0;
let isNegative: bool = false;

// The record that is read, and the base fields.
let name: i32 = 0;
let nameBytes: i32 = 0;
let unit: i32 = 0;
let unitBytes: i32 = 0;
let seconds: i64 = 0;
let nanos: i64 = 0;
let baseName: i32 = 0;
let baseNameBytes: i32 = 0;
let baseUnit: i32 = 0;
let baseUnitBytes: i32 = 0;
let baseSeconds: i64 = 0;
let baseNanos: i64 = 0;

// Where the columns end so far.
let namesEnd: i32 = 0;
let unitsEnd: i32 = 0;
let numbers: i32 = 0;

/**
 * Where the columns begin and the body, and the limits. Names and units need `recordsMax` × (`textBytesMax` + 1) bytes
 * and 16 more, times and values 8 for each record; after a body there must be 16 bytes.
 */
export function setUp(
  namesAt: i32,
  unitsAt: i32,
  timesAt: i32,
  valuesAt: i32,
  bodyAt: i32,
  records: i32,
  textBytes: i32,
): void {
  names = namesAt;
  units = unitsAt;
  times = timesAt;
  values = valuesAt;
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

/** Fills the columns from a body of `length` bytes, after which are zeros. Returns how many records it has. */
export function scan(length: i32, nowSeconds: f64, nowNanos: f64): i32 {
  namesEnd = names;
  unitsEnd = units;
  numbers = 0;
  baseNameBytes = 0;
  baseUnitBytes = 0;
  baseSeconds = 0;
  baseNanos = 0;
  let at = body;
  if (load<u8>(at++) != openBracket) return gaveUp;
  for (let index = 0; index < recordsMax; index++) {
    at = skipRecord(at, index);
    if (at == gaveUp || !appendName() || !appendUnit()) return gaveUp;
    if (!setTime(index, <i64>nowSeconds, <i64>nowNanos)) return gaveUp;
    const byte = load<u8>(at++);
    if (byte == closeBracket) {
      store<i32>(found, namesEnd - names);
      store<i32>(found, unitsEnd - units, 4);
      store<i32>(found, numbers, 8);
      return at - body == length ? index + 1 : gaveUp;
    }
    if (byte != comma) return gaveUp;
  }
  return gaveUp;
}

/** Its value goes into the column; the rest is noted, because base fields may follow. */
function skipRecord(from: i32, index: i32): i32 {
  let at = from;
  if (load<u8>(at++) != openBrace) return gaveUp;
  nameBytes = 0;
  unitBytes = 0;
  seconds = 0;
  nanos = 0;
  let seen: u32 = 0;
  for (;;) {
    const label = load<u32>(at);
    at += 4;
    let member: u32 = 0;
    if (label == labelV) {
      at = skipDecimal(at);
      if (at == gaveUp) return gaveUp;
      setValue(index);
      member = seenV;
    } else if (label == labelT) {
      at = skipTime(at);
      if (at == gaveUp) return gaveUp;
      seconds = whole;
      nanos = fraction;
      member = seenT;
    } else if (label == labelN) {
      name = at + 1;
      at = skipText(at, inName);
      if (at == gaveUp) return gaveUp;
      nameBytes = at - 1 - name;
      member = seenN;
    } else if (label == labelU) {
      unit = at + 1;
      at = skipText(at, inUnit);
      if (at == gaveUp) return gaveUp;
      unitBytes = at - 1 - unit;
      member = seenU;
    } else {
      // In a later record, only some of the records would have the new base.
      if (index > 0) return gaveUp;
      at = skipBase(label, at);
      if (at == gaveUp) return gaveUp;
      member = label == labelBn ? seenBn : label == labelBt ? seenBt : seenBu;
    }
    if (seen & member) return gaveUp;
    seen |= member;
    const byte = load<u8>(at++);
    if (byte == closeBrace) break;
    if (byte != comma) return gaveUp;
  }
  if (!(seen & seenU)) {
    unit = baseUnit;
    unitBytes = baseUnitBytes;
  }
  return seen & seenV ? at : gaveUp;
}

/** The value of a base label. */
function skipBase(label: u32, from: i32): i32 {
  let at = from;
  if (load<u8>(at++) != colon) return gaveUp;
  const start = at + 1;
  if (label == labelBt) {
    at = skipTime(at);
    if (at == gaveUp) return gaveUp;
    baseSeconds = whole;
    baseNanos = fraction;
  } else if (label == labelBn) {
    at = skipText(at, inName);
    if (at == gaveUp) return gaveUp;
    baseName = start;
    baseNameBytes = at - 1 - start;
  } else if (label == labelBu) {
    at = skipText(at, inUnit);
    if (at == gaveUp) return gaveUp;
    baseUnit = start;
    baseUnitBytes = at - 1 - start;
  } else {
    return gaveUp;
  }
  return at;
}

/** A text in quotes, of bytes that may stand in it. */
function skipText(from: i32, where: u32): i32 {
  let at = from;
  if (load<u8>(at++) != quote) return gaveUp;
  while (load<u8>(classes + load<u8>(at)) & where) at++;
  return load<u8>(at++) == quote ? at : gaveUp;
}

/** A number without an exponent (RFC 8259 §6). */
function skipDecimal(from: i32): i32 {
  let at = from;
  isNegative = load<u8>(at) == minus;
  if (isNegative) at++;
  const start = at;
  let before: i64 = 0;
  for (let digit = digitAt(at); digit < 10; digit = digitAt(++at)) before = before * 10 + digit;
  const digits = at - start;
  if (digits == 0 || (digits > 1 && load<u8>(start) == zero)) return gaveUp;
  let after: i64 = 0;
  let places = 0;
  if (load<u8>(at) == point) {
    const pointAt = at++;
    for (let digit = digitAt(at); digit < 10; digit = digitAt(++at)) after = after * 10 + digit;
    places = at - pointAt - 1;
    if (places == 0) return gaveUp;
  }
  if (digits + places > digitsMax) return gaveUp;
  whole = before;
  fraction = after;
  decimalPlaces = places;
  return at;
}

/** From 0 to 9; what is no digit is more. */
function digitAt(at: i32): u32 {
  return <u32>load<u8>(at) - zero;
}

function powerOfTen(exponent: i32): i64 {
  return load<i64>(powersOfTen + ((<usize>exponent) << 3));
}

/** A time: leaves its whole seconds and its nanoseconds, as it is written, in `whole` and `fraction`. */
function skipTime(from: i32): i32 {
  const at = skipDecimal(from);
  if (at == gaveUp || decimalPlaces > timePlacesMax) return gaveUp;
  fraction *= powerOfTen(timePlacesMax - decimalPlaces);
  if (!isNegative) return at;
  whole = -whole;
  if (fraction != 0) {
    whole -= 1;
    fraction = nanosPerSecond - fraction;
  }
  return at;
}

/** The decimal read last, as JSON.parse gives it. */
function setValue(index: i32): void {
  const power = powerOfTen(decimalPlaces);
  const size = <f64>(whole * power + fraction) / <f64>power;
  const value = isNegative ? -size : size;
  store<f64>(values + (index << 3), value);
  // A 0 below zero is a value, too.
  if (reinterpret<i64>(value) != 0) numbers++;
}

/** Base name + name. False: it is too long, or does not begin with a letter or digit. */
function appendName(): bool {
  const bytes = baseNameBytes + nameBytes;
  if (bytes > textBytesMax || baseNameBytes > textBytesMax) return false;
  store<u8>(namesEnd, <u8>bytes);
  const start = namesEnd + 1;
  copyText(baseName, baseNameBytes, start);
  copyText(name, nameBytes, start + baseNameBytes);
  namesEnd = start + bytes;
  return bytes > 0 && (load<u8>(classes + load<u8>(start)) & atNameStart) != 0;
}

function appendUnit(): bool {
  if (unitBytes > textBytesMax) return false;
  store<u8>(unitsEnd, <u8>unitBytes);
  copyText(unit, unitBytes, unitsEnd + 1);
  unitsEnd += 1 + unitBytes;
  return true;
}

/** Base time + time; those that are relative begin now (RFC 8428 §4.5.3). */
function setTime(index: i32, nowSeconds: i64, nowNanos: i64): bool {
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

/** Sixteen bytes at a time: up to 15 more than the text has. */
function copyText(from: i32, bytes: i32, to: i32): void {
  for (let at = 0; at < bytes; at += 16) v128.store(to + at, v128.load(from + at));
}
