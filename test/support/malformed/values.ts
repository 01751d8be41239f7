/** JSON text, as a client with bad intent writes it. */
const strings = [
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '""',
  '" "',
  `"${'x'.repeat(100_000)}"`,
  `"${'😀'.repeat(1_000)}"`,
  '"\'; DROP TABLE users; --"',
  '"\\" OR 1=1 --"',
  "\"%' OR ''='\"",
  '"$1"',
  '"a\\r\\nSet-Cookie: hostile=1\\r\\n\\r\\n"',
  '"__proto__"',
  '"constructor"',
  '"../../../etc/passwd"',
  '"%00%0d%0a"',
  '"\\u202e\\ufeff\\u0007"',
  '"null"',
];

const numbers = [
  '0',
  '-1',
  '1.5',
  '1e308',
  '1e400',
  '-1e400',
  '9007199254740993',
  `1${'0'.repeat(400)}`,
];

const others = ['null', 'true', '[]', '{}', '[[]]', '["x"]', '[null]', '[{}]'];

/** Arrays, or objects, within each other. */
const nested = (depth: number) => [
  `${'['.repeat(depth)}${']'.repeat(depth)}`,
  `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
];

const objects = [
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{"\\u0000":1}',
  '{"\\ud800":1}',
  '{"a":"\\u0000"}',
  '{"a":"\\ud800"}',
  '{"a":1e400}',
  '{"":{"":""}}',
  '{"toString":1,"hasOwnProperty":2,"length":-1}',
  '{"a":1,"a":2}',
  ...[29, 30, 31, 32, 33, 10_000].flatMap(nested),
];

/** In the place of any value of a body. */
export const hostileValues: readonly string[] = [...strings, ...numbers, ...others, ...objects];

/** In the place of a whole body. */
export const hostileBodies: readonly string[] = [
  ...others,
  ...objects,
  '"text"',
  '1',
  '{',
  '{"a":1}{',
  '[1,]',
  'undefined',
  '\ufeff{}',
  '['.repeat(100_000),
  '{"a":'.repeat(100_000),
  `[${'{},'.repeat(1_000)}{}]`,
];

/** In the place of an id in a path or a value in a query, as they stand in a URL. */
export const hostileParts: readonly string[] = [
  '%00',
  'a%00b',
  '%ff',
  '%c0%af',
  '%ed%a0%80',
  '%',
  '%zz',
  '%0d%0aSet-Cookie:%20hostile=1',
  '..%2f..%2fetc%2fpasswd',
  "'%20OR%20''='",
  '%27;DROP%20TABLE%20users;--',
  '__proto__',
  'constructor',
  'null',
  'undefined',
  '-1',
  '0',
  '1e308',
  '9'.repeat(400),
  '[]',
  '%7B%22%24gt%22%3A%22%22%7D',
  '%5B'.repeat(2_000),
  '%7B%22a%22%3A'.repeat(200),
  '%F0%9F%98%80',
  'x'.repeat(1_000),
  'x'.repeat(10_000),
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '%7B5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11%7D',
  'urn:uuid:5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  'ZZZZZZZZZZZZZZZZZZZZZZZZZZ',
];
