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
  nanosPerSecond,
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
import { digitsMax, powerOfTen, quotient } from './decimals';

const space: u8 = 0x20;
const quote: u8 = 0x22;
const comma: u8 = 0x2c;
const plus: u8 = 0x2b;
const minus: u8 = 0x2d;
const point: u8 = 0x2e;
const slash: u8 = 0x2f;
const zero: u8 = 0x30;
const colon: u8 = 0x3a;
const letterE: u8 = 0x65;
const letterU: u8 = 0x75;
const openBracket: u8 = 0x5b;
const backslash: u8 = 0x5c;
const closeBracket: u8 = 0x5d;
const openBrace: u8 = 0x7b;
const closeBrace: u8 = 0x7d;

/** A label with its quotes and colon, as four bytes read at once; those of two letters take a colon more. */
const labelN: u32 = 0x3a226e22;
const labelU: u32 = 0x3a227522;
const labelV: u32 = 0x3a227622;
const labelT: u32 = 0x3a227422;
const labelVs: u32 = 0x22737622;
const labelVb: u32 = 0x22627622;
const labelBn: u32 = 0x226e6222;
const labelBt: u32 = 0x22746222;
const labelBu: u32 = 0x22756222;

/** The first four bytes of each. */
const wordTrue: u32 = 0x65757274;
const wordFalse: u32 = 0x736c6166;

/**
 * A decimal of up to so many digits is below 2^53, and its division by a power of ten rounds once: exactly.
 */
const exactDigitsMax: i32 = 15;
/** A time with more decimal places is not whole nanoseconds. */
const nanoPlaces: i32 = 9;
/** Larger times of many digits are read the plain way, which refuses nearly all of them. */
const longSecondsMax: i64 = 10_000_000_000;

/** Where the text read last begins, and how long it is. */
let textAt: i32 = 0;
let textBytes: i32 = 0;
/** The character of the escape read last. */
let escaped: u32 = 0;
// The decimal read last: what is before and after its point, each as an integer.
let whole: i64 = 0;
let fraction: i64 = 0;
let decimalPlaces: i32 = 0;
/** It has at most `exactDigitsMax` digits, and no exponent. */
let isShort: bool = false;
/** Set only where the decimal is not short. */
let decimalExponent: i32 = 0;
let isNegative: bool = false;

/** Fills the columns from a body of `length` bytes, after which are eight zeros. Returns how many records it has. */
export function scanJson(length: i32, nowSeconds: f64, nowNanos: f64): i32 {
  begin(nowSeconds, nowNanos);
  let at = body;
  if (load<u8>(at++) != openBracket) return gaveUp;
  for (let index = 0; index < recordsMax; index++) {
    at = skipRecord(at, index);
    if (at == gaveUp) return gaveUp;
    const byte = load<u8>(at++);
    if (byte == closeBracket) {
      end();
      return at - body == length ? index + 1 : gaveUp;
    }
    if (byte != comma) return gaveUp;
  }
  return gaveUp;
}

function skipRecord(from: i32, index: i32): i32 {
  let at = from;
  if (load<u8>(at) == space) at++;
  if (load<u8>(at++) != openBrace) return gaveUp;
  beginRecord();
  let seen: u32 = 0;
  for (;;) {
    const label = load<u32>(at);
    at += 4;
    let member: u32 = 0;
    if (label == labelV) {
      at = skipDecimal(at);
      if (at == gaveUp) return gaveUp;
      setValue(index, decimal());
      member = seenV;
    } else if (label == labelT) {
      at = skipTime(at);
      if (at == gaveUp) return gaveUp;
      setTime(whole, fraction);
      member = seenT;
    } else if (label == labelN) {
      at = skipText(at, inName);
      if (at == gaveUp) return gaveUp;
      setName(textAt, textBytes);
      member = seenN;
    } else if (label == labelU) {
      at = skipText(at, inText);
      if (at == gaveUp) return gaveUp;
      setUnit(textAt, textBytes);
      member = seenU;
    } else if (<u8>label == space) {
      at -= 3;
      continue;
    } else if (label == labelVs || label == labelVb) {
      at = skipOther(label, at, index);
      if (at == gaveUp) return gaveUp;
      member = seenV;
    } else {
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
  return endRecord(index, seen) ? at : gaveUp;
}

/** A value that is no number. */
function skipOther(label: u32, from: i32, index: i32): i32 {
  let at = from;
  if (load<u8>(at++) != colon) return gaveUp;
  if (label == labelVs) {
    at = skipText(at, inText);
    if (at != gaveUp) setString(index, textAt, textBytes);
    return at;
  }
  if (load<u8>(at) == space) at++;
  const word = load<u32>(at);
  const isTrue = word == wordTrue;
  if (!isTrue && (word != wordFalse || load<u8>(at + 4) != letterE)) return gaveUp;
  setBool(index, isTrue);
  return isTrue ? at + 4 : at + 5;
}

/** The value of a base label. */
function skipBase(label: u32, from: i32): i32 {
  let at = from;
  if (load<u8>(at++) != colon) return gaveUp;
  if (label == labelBt) {
    at = skipTime(at);
    if (at == gaveUp) return gaveUp;
    setBaseTime(whole, fraction);
  } else if (label == labelBn) {
    at = skipText(at, inName);
    if (at == gaveUp) return gaveUp;
    setBaseName(textAt, textBytes);
  } else if (label == labelBu) {
    at = skipText(at, inText);
    if (at == gaveUp) return gaveUp;
    setBaseUnit(textAt, textBytes);
  } else {
    return gaveUp;
  }
  return at;
}

/** A text in quotes, of bytes that may stand in it. */
function skipText(from: i32, where: u32): i32 {
  let at = from;
  if (load<u8>(at) != quote && (load<u8>(at) != space || load<u8>(++at) != quote)) return gaveUp;
  textAt = ++at;
  while (load<u8>(classes + load<u8>(at)) & where) at++;
  textBytes = at - textAt;
  return load<u8>(at) == quote ? at + 1 : skipOddText(at, where);
}

/**
 * The rest of a text, from the first byte that is no plain ASCII. It is written again in its own place, where an escape
 * is never shorter than its character.
 */
function skipOddText(from: i32, where: u32): i32 {
  let at = from;
  let to = from;
  for (let byte = load<u8>(at); byte != quote; byte = load<u8>(at)) {
    if (load<u8>(classes + byte) & where) {
      store<u8>(to++, byte);
      at++;
    } else if (byte == backslash) {
      at = skipEscape(at + 1);
      if (at == gaveUp || (where == inName && !isNameChar(escaped))) return gaveUp;
      to = putChar(escaped, to);
    } else {
      const bytes = where == inText ? charBytes(at) : 0;
      if (bytes == 0) return gaveUp;
      memory.copy(to, at, bytes);
      at += bytes;
      to += bytes;
    }
  }
  textBytes = to - textAt;
  return at + 1;
}

function isNameChar(char: u32): bool {
  return char < 0x80 && (load<u8>(classes + char) & inName) != 0;
}

/**
 * An escape of a character that may stand in a text (RFC 8259 §7), from after its backslash: as programs write what is
 * not ASCII, and some a slash. Halves of UTF-16 and controls are given up.
 */
function skipEscape(from: i32): i32 {
  const kind = load<u8>(from);
  escaped = kind;
  if (kind == quote || kind == backslash || kind == slash) return from + 1;
  if (kind != letterU) return gaveUp;
  escaped = 0;
  for (let at = from + 1; at < from + 5; at++) {
    const digit = hexAt(at);
    if (digit > 15) return gaveUp;
    escaped = (escaped << 4) | digit;
  }
  const isControl = escaped < 0x20 || escaped == 0x7f;
  const isHalf = escaped >= 0xd800 && escaped <= 0xdfff;
  return isControl || isHalf ? gaveUp : from + 5;
}

/** From 0 to 15; what is no hexadecimal digit is more. */
function hexAt(at: i32): u32 {
  const digit = digitAt(at);
  if (digit < 10) return digit;
  const letter = <u32>(load<u8>(at) | 0x20) - 0x61;
  return letter < 6 ? letter + 10 : 16;
}

/** Writes a character in UTF-8. Returns the place after it. */
function putChar(char: u32, to: i32): i32 {
  if (char < 0x80) {
    store<u8>(to, <u8>char);
    return to + 1;
  }
  const last = <u8>(0x80 | (char & 0x3f));
  if (char < 0x800) {
    store<u8>(to, <u8>(0xc0 | (char >> 6)));
    store<u8>(to, last, 1);
    return to + 2;
  }
  store<u8>(to, <u8>(0xe0 | (char >> 12)));
  store<u8>(to, <u8>(0x80 | ((char >> 6) & 0x3f)), 1);
  store<u8>(to, last, 2);
  return to + 3;
}

/** A number (RFC 8259 §6). */
function skipDecimal(from: i32): i32 {
  let at = from;
  if (load<u8>(at) == space) at++;
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
  whole = before;
  fraction = after;
  decimalPlaces = places;
  isShort = digits + places <= exactDigitsMax && (load<u8>(at) | 0x20) != letterE;
  return isShort ? at : skipLong(start, at);
}

/** Where the decimal read last ends, which has many digits or an exponent. Its digits are from `start` to `end`. */
function skipLong(start: i32, end: i32): i32 {
  let digits = decimalPlaces == 0 ? end - start : end - start - 1;
  // A zero before the point is no digit of the number.
  if (load<u8>(start) == zero) digits--;
  decimalExponent = 0;
  if (digits > digitsMax) return gaveUp;
  let at = end;
  if ((load<u8>(at) | 0x20) == letterE) {
    at = skipExponent(at + 1);
    if (at == gaveUp) return gaveUp;
  }
  const places = decimalPlaces - decimalExponent;
  if (places >= 0) return places <= digitsMax ? at : gaveUp;
  // Multiplied, not divided: only integers that a double holds exactly.
  return places >= -exactDigitsMax && digits <= exactDigitsMax ? at : gaveUp;
}

/** An exponent of up to two digits, as Java writes times. */
function skipExponent(from: i32): i32 {
  let at = from;
  const sign = load<u8>(at);
  if (sign == minus || sign == plus) at++;
  const start = at;
  let exponent: i32 = 0;
  for (let digit = digitAt(at); digit < 10; digit = digitAt(++at)) {
    exponent = exponent * 10 + <i32>digit;
    if (at - start > 1) return gaveUp;
  }
  decimalExponent = sign == minus ? -exponent : exponent;
  return at == start ? gaveUp : at;
}

/** From 0 to 9; what is no digit is more. */
function digitAt(at: i32): u32 {
  return <u32>load<u8>(at) - zero;
}

/** The decimal read last, as JSON.parse gives it. */
function decimal(): f64 {
  const power = powerOfTen(decimalPlaces);
  const digits = whole * power + fraction;
  const size = isShort ? <f64>digits / <f64>power : scaled(digits);
  return isNegative ? -size : size;
}

function scaled(digits: i64): f64 {
  const places = decimalPlaces - decimalExponent;
  return places < 0 ? <f64>digits * <f64>powerOfTen(-places) : quotient(digits, places);
}

/** A time, to the nanosecond: leaves its whole seconds and its nanoseconds in `whole` and `fraction`. */
function skipTime(from: i32): i32 {
  const at = skipDecimal(from);
  if (at == gaveUp) return gaveUp;
  if (isShort && decimalPlaces <= nanoPlaces) fraction *= powerOfTen(nanoPlaces - decimalPlaces);
  else if (!splitLong()) return gaveUp;
  if (!isNegative) return at;
  whole = -whole;
  if (fraction != 0) {
    whole -= 1;
    fraction = nanosPerSecond - fraction;
  }
  return at;
}

/** The same of a decimal with many digits or an exponent, rounded to nanoseconds; its sign comes later. */
function splitLong(): bool {
  let places = decimalPlaces;
  if (!isShort && decimalExponent != 0) {
    // The point moves.
    const digits = whole * powerOfTen(places) + fraction;
    places -= decimalExponent;
    if (places < 0) {
      if (<f64>digits * <f64>powerOfTen(-places) > <f64>longSecondsMax) return false;
      whole = digits * powerOfTen(-places);
      fraction = 0;
      return true;
    }
    whole = digits / powerOfTen(places);
    fraction = digits % powerOfTen(places);
  }
  if (places <= nanoPlaces) {
    fraction *= powerOfTen(nanoPlaces - places);
  } else {
    const nano = powerOfTen(places - nanoPlaces);
    fraction = (fraction + nano / 2) / nano;
    if (fraction == nanosPerSecond) {
      fraction = 0;
      whole += 1;
    }
  }
  return whole <= longSecondsMax;
}
