/** Decimals of more digits than a double holds exactly, rounded as JSON.parse rounds them. */

/** Up to here an integer is a double exactly, and so is a power of ten up to 10^22: their quotient is rounded once. */
const exactMax: i64 = 9_007_199_254_740_992;
/** Below 10^18 every integer fits. */
export const digitsMax: i32 = 18;

const powersOfTen = memory.data<i64>([
  1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
  1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000,
]);

/**
 * 1 / 5^n for n from 1, so that its first bit is the highest of 128, rounded up: the upper half, then the lower. With z
 * for how many bits the number 5^n - 1 has: floor(2^(z + 127) / 5^n) + 1.
 */
const reciprocals = memory.data<u64>([
  0xcccccccccccccccc, 0xcccccccccccccccd, 0xa3d70a3d70a3d70a, 0x3d70a3d70a3d70a4,
  0x83126e978d4fdf3b, 0x645a1cac083126ea, 0xd1b71758e219652b, 0xd3c36113404ea4a9,
  0xa7c5ac471b478423, 0x0fcf80dc33721d54, 0x8637bd05af6c69b5, 0xa63f9a49c2c1b110,
  0xd6bf94d5e57a42bc, 0x3d32907604691b4d, 0xabcc77118461cefc, 0xfdc20d2b36ba7c3e,
  0x89705f4136b4a597, 0x31680a88f8953031, 0xdbe6fecebdedd5be, 0xb573440e5a884d1c,
  0xafebff0bcb24aafe, 0xf78f69a51539d749, 0x8cbccc096f5088cb, 0xf93f87b7442e45d4,
  0xe12e13424bb40e13, 0x2865a5f206b06fba, 0xb424dc35095cd80f, 0x538484c19ef38c95,
  0x901d7cf73ab0acd9, 0x0f9d37014bf60a11, 0xe69594bec44de15b, 0x4c2ebe687989a9b4,
  0xb877aa3236a4b449, 0x09befeb9fad487c3, 0x9392ee8e921d5d07, 0x3aff322e62439fd0,
]);

export function powerOfTen(exponent: i32): i64 {
  return load<i64>(powersOfTen + ((<usize>exponent) << 3));
}

/** `digits` / 10^`places`, rounded once. `digits` is below 10^18, and there are at most 18 places. */
export function quotient(digits: i64, places: i32): f64 {
  if (digits <= exactMax) return <f64>digits / <f64>powerOfTen(places);
  return places == 0 ? <f64>digits : rounded(<u64>digits, places);
}

/**
 * The same where a division of doubles would round twice. D. Lemire, "Number Parsing at a Gigabyte per Second" (2021),
 * §5: the product with the reciprocal has all bits that the rounding needs, because 5^18 is far below 2^64.
 */
function rounded(digits: u64, places: i32): f64 {
  const shift = clz<u64>(digits);
  const factor = digits << shift;
  const reciprocal = reciprocals + ((<usize>(places - 1)) << 4);
  let high = highProduct(factor, load<u64>(reciprocal));
  let low = factor * load<u64>(reciprocal);
  // Only where the bits below the mantissa are all ones can the lower half of the reciprocal change it.
  if ((high & 0x1ff) == 0x1ff) {
    const more = highProduct(factor, load<u64>(reciprocal, 8));
    low += more;
    if (low < more) high++;
  }
  const top = high >> 63;
  // 53 bits, and one to round by.
  const cut = top + 9;
  let mantissa = high >> cut;
  // Exactly between two doubles: to the even one. A tie of 54 bits has at most two places in 18 digits.
  const isTie = low <= 1 && places <= 2 && (mantissa & 3) == 1 && mantissa << cut == high;
  if (!isTie) mantissa += mantissa & 1;
  mantissa >>= 1;
  let exponent = <i64>top - shift + exponentOf(places);
  if (mantissa == 1 << 53) exponent++;
  return reinterpret<f64>((mantissa & ((1 << 52) - 1)) | ((<u64>exponent) << 52));
}

/** Of a double whose first bit is the top bit of `digits`, with its bias: 1,086 - log2(10^places), rounded down. */
function exponentOf(places: i32): i64 {
  // 217,706 / 2^16 is log2(10) for so few places.
  return 1_086 + ((-217_706 * <i64>places) >> 16);
}

/** The upper half of a product. */
function highProduct(a: u64, b: u64): u64 {
  const mask: u64 = 0xffffffff;
  const lowA = a & mask;
  const highA = a >> 32;
  const lowB = b & mask;
  const highB = b >> 32;
  const middle = highA * lowB + ((lowA * lowB) >> 32);
  const other = lowA * highB + (middle & mask);
  return highA * highB + (middle >> 32) + (other >> 32);
}
