import {
  begin,
  beginRecord,
  body,
  charBytes,
  classes,
  end,
  endRecord,
  gaveUp,
  inName,
  inText,
  recordsMax,
  seenBn,
  seenBt,
  seenBu,
  seenN,
  seenT,
  seenU,
  seenV,
  setBaseName,
  setBaseTime,
  setBaseUnit,
  setBool,
  setName,
  setString,
  setTime,
  setUnit,
  setValue,
} from './columns';
import { nanos, seconds, split } from './instants';

/** The major type stands in the upper three bits of an item's first byte (RFC 8949 §3). */
const majorMask: u32 = 0xe0;
const unsigned: u32 = 0x00;
const negative: u32 = 0x20;
const text: u32 = 0x60;
const array: u32 = 0x80;
const map: u32 = 0xa0;

const falseItem: u32 = 0xf4;
const trueItem: u32 = 0xf5;
const float16: u32 = 0xf9;
const float32: u32 = 0xfa;
const float64: u32 = 0xfb;

// The labels as they are written shortest (RFC 8428 §6).
const labelN: u32 = 0x00;
const labelU: u32 = 0x01;
const labelV: u32 = 0x02;
const labelVs: u32 = 0x03;
const labelVb: u32 = 0x04;
const labelT: u32 = 0x06;
const labelBn: u32 = 0x21;
const labelBt: u32 = 0x22;
const labelBu: u32 = 0x23;

/** Each label once, but only one of those of values. */
const membersMax: i64 = 7;

/** Where the body ends. */
let bodyEnd: i32 = 0;

// The item that was read last: its argument; a number; a text's bytes.
let argument: i64 = 0;
let number: f64 = 0;
let textBytes: i32 = 0;

/** Fills the columns from a body of `length` bytes, after which may be anything. Returns how many records it has. */
export function scanCbor(length: i32, nowSeconds: f64, nowNanos: f64): i32 {
  begin(nowSeconds, nowNanos);
  bodyEnd = body + length;
  if (length == 0 || (load<u8>(body) & majorMask) != array) return gaveUp;
  let at = skipHead(body);
  if (at == gaveUp || argument == 0 || argument > recordsMax) return gaveUp;
  const records = <i32>argument;
  for (let index = 0; index < records; index++) {
    at = skipRecord(at, index);
    if (at == gaveUp) return gaveUp;
  }
  end();
  return at == bodyEnd ? records : gaveUp;
}

function skipRecord(from: i32, index: i32): i32 {
  if (from >= bodyEnd || (load<u8>(from) & majorMask) != map) return gaveUp;
  let at = skipHead(from);
  if (at == gaveUp || argument > membersMax) return gaveUp;
  beginRecord();
  let seen: u32 = 0;
  for (let left = <i32>argument; left > 0; left--) {
    // The next bytes are read only after this: a label and a number are at most ten bytes.
    if (at >= bodyEnd) return gaveUp;
    const label: u32 = load<u8>(at++);
    const member = memberOf(label);
    if (member == 0 || (seen & member) != 0) return gaveUp;
    seen |= member;
    at =
      label == labelVs || label == labelVb
        ? skipOther(label, at, index)
        : skipMember(member, at, index);
    if (at == gaveUp) return gaveUp;
  }
  return endRecord(index, seen) ? at : gaveUp;
}

function memberOf(label: u32): u32 {
  if (label == labelN) return seenN;
  if (label == labelV) return seenV;
  if (label == labelT) return seenT;
  if (label == labelU) return seenU;
  if (label == labelBn) return seenBn;
  if (label == labelBt) return seenBt;
  if (label == labelVs || label == labelVb) return seenV;
  return label == labelBu ? seenBu : 0;
}

function skipMember(member: u32, from: i32, index: i32): i32 {
  let at: i32;
  if (member == seenV) {
    at = skipNumber(from);
    if (at != gaveUp) setValue(index, number);
  } else if (member == seenT) {
    at = skipTime(from);
    if (at != gaveUp) setTime(seconds, nanos);
  } else if (member == seenBt) {
    at = skipTime(from);
    if (at != gaveUp) setBaseTime(seconds, nanos);
  } else if (member == seenN) {
    at = skipText(from, inName);
    if (at != gaveUp) setName(at - textBytes, textBytes);
  } else if (member == seenU) {
    at = skipText(from, inText);
    if (at != gaveUp) setUnit(at - textBytes, textBytes);
  } else if (member == seenBn) {
    at = skipText(from, inName);
    if (at != gaveUp) setBaseName(at - textBytes, textBytes);
  } else {
    at = skipText(from, inText);
    if (at != gaveUp) setBaseUnit(at - textBytes, textBytes);
  }
  return at;
}

/** A value that is no number. */
function skipOther(label: u32, from: i32, index: i32): i32 {
  if (label == labelVs) {
    const at = skipText(from, inText);
    if (at != gaveUp) setString(index, at - textBytes, textBytes);
    return at;
  }
  const item: u32 = load<u8>(from);
  if (item != falseItem && item != trueItem) return gaveUp;
  setBool(index, item == trueItem);
  return from + 1;
}

/** An item's first byte and its argument of up to four bytes. */
function skipHead(from: i32): i32 {
  const info: u32 = load<u8>(from) & 31;
  const at = from + 1;
  if (info < 24) {
    argument = info;
    return at;
  }
  if (info == 24) {
    argument = load<u8>(at);
    return at + 1;
  }
  if (info == 25) {
    argument = <i64>bswap<u16>(load<u16>(at));
    return at + 2;
  }
  if (info == 26) {
    argument = <i64>bswap<u32>(load<u32>(at));
    return at + 4;
  }
  return gaveUp;
}

/** A text of bytes that may stand in it. */
function skipText(from: i32, where: u32): i32 {
  if ((load<u8>(from) & majorMask) != text) return gaveUp;
  const start = skipHead(from);
  if (start == gaveUp || argument > <i64>(bodyEnd - start)) return gaveUp;
  textBytes = <i32>argument;
  const after = start + textBytes;
  let at = start;
  while (at < after) {
    if (load<u8>(classes + load<u8>(at)) & where) at++;
    else {
      const bytes = where == inText ? charBytes(at) : 0;
      if (bytes == 0) return gaveUp;
      at += bytes;
    }
  }
  return at == after ? after : gaveUp;
}

/** An integer of up to 32 bits, or a float that is finite. */
function skipNumber(from: i32): i32 {
  const first: u32 = load<u8>(from);
  const major = first & majorMask;
  if (major == unsigned || major == negative) {
    const at = skipHead(from);
    if (at == gaveUp) return gaveUp;
    number = <f64>(major == unsigned ? argument : <i64>-1 - argument);
    return at;
  }
  const at = from + 1;
  if (first == float64) {
    number = reinterpret<f64>(bswap<u64>(load<u64>(at)));
    return isFinite<f64>(number) ? at + 8 : gaveUp;
  }
  if (first == float32) {
    number = <f64>reinterpret<f32>(bswap<u32>(load<u32>(at)));
    return isFinite<f64>(number) ? at + 4 : gaveUp;
  }
  if (first != float16) return gaveUp;
  number = floatOfHalf(bswap<u16>(load<u16>(at)));
  return isFinite<f64>(number) ? at + 2 : gaveUp;
}

/** RFC 8949 appendix D. */
function floatOfHalf(half: u32): f64 {
  const exponent = (half >> 10) & 31;
  const mantissa = <f64>(half & 1_023);
  if (exponent == 31) return NaN;
  // 2^-24, or 2^(exponent - 25), by the bits of a double.
  const power = reinterpret<f64>((<u64>(exponent == 0 ? 999 : exponent + 998)) << 52);
  const size = (exponent == 0 ? mantissa : mantissa + 1_024) * power;
  return (half & 0x8000) != 0 ? -size : size;
}

/** A time, which is split. */
function skipTime(from: i32): i32 {
  const at = skipNumber(from);
  return at != gaveUp && split(number) ? at : gaveUp;
}
