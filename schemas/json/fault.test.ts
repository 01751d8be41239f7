import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFault, findFaultInText, findJsonFault } from './fault.ts';

const tell = (body: string | Uint8Array): string | undefined => {
  const fault = typeof body === 'string' ? findFaultInText(body) : findJsonFault(body);
  return fault === undefined ? undefined : describeFault(fault);
};

describe('what is told of a text that is not JSON', () => {
  it.each([
    // A sensor that is unplugged.
    ['[{"n":"a","v":NaN}]', 'line 1, column 15 (byte 14), record 0, v: NaN is not a JSON number'],
    ['[{"n":"a","v":nan}]', 'line 1, column 15 (byte 14), record 0, v: nan is not a JSON number'],
    ['{"t":-Infinity}', 'line 1, column 6 (byte 5), t: -Infinity is not a JSON number'],
    // A body that is cut.
    [
      '[{"n":"temperature","u"',
      'line 1, column 24 (byte 23), record 0, u: it ends inside an object, after 23 bytes',
    ],
    [
      '[{"n":"a","vs":"on the w',
      'line 1, column 25 (byte 24), record 0, vs: it ends inside a text, after 24 bytes',
    ],
    [
      '[{"v":21.',
      'line 1, column 10 (byte 9), record 0, v: it ends inside a number, after 9 bytes',
    ],
    [
      '[{"vb":tru',
      'line 1, column 11 (byte 10), record 0, vb: it ends inside the word tru, after 10 bytes',
    ],
    ['[{"v":1},', 'line 1, column 10 (byte 9), record 1: it ends inside a list, after 9 bytes'],
    [' \n', 'line 2, column 1 (byte 2): there is no value, only white space'],
    // Several messages in one.
    ['{"a":1}{"a":2}', 'line 1, column 8 (byte 7): a second value begins'],
    ['{"a":1}\n{"a":2}\n', 'line 2, column 1 (byte 8): a second value begins'],
    ['{"a":1},', 'line 1, column 8 (byte 7): , stands where the end is expected'],
    ['[1]]', 'line 1, column 4 (byte 3): ] closes nothing'],
    [
      '[1]\0',
      'line 1, column 4 (byte 3): byte 0x00 follows the value: is the end of a C string sent with it?',
    ],
    // Other languages.
    [
      "{'a':1}",
      'line 1, column 2 (byte 1): a single quote: texts and names stand in double quotes',
    ],
    [
      '{"a":\'x\'}',
      'line 1, column 6 (byte 5), a: a single quote: texts and names stand in double quotes',
    ],
    ['{a:1}', 'line 1, column 2 (byte 1): the name a has no double quotes: write "a"'],
    ['{"a":on}', 'line 1, column 6 (byte 5), a: on has no double quotes'],
    ['{"a":True}', 'line 1, column 6 (byte 5), a: True is not JSON: write true'],
    ['{"a":None}', 'line 1, column 6 (byte 5), a: None is not JSON: write null'],
    [
      '{"a":undefined}',
      'line 1, column 6 (byte 5), a: undefined is not JSON: leave the member out',
    ],
    ['{"a":1}// one', 'line 1, column 8 (byte 7): a comment: JSON has none'],
    ['{ # one\n"a":1}', 'line 1, column 3 (byte 2): a comment: JSON has none'],
    ['{“a”:1}', 'line 1, column 2 (byte 1): “ is a typographic quote: write "'],
    ['{"a"=1}', 'line 1, column 5 (byte 4), a: = stands where a colon is expected'],
    ['{"a":1;"b":2}', 'line 1, column 7 (byte 6), a: ; stands where a comma or } is expected'],
    ['{"a":1 "b":2}', 'line 1, column 8 (byte 7), a: a comma is missing before a text'],
    ['[1 [2]]', 'line 1, column 4 (byte 3), record 0: a comma is missing before a list'],
    ['{"a":1\u00a0}', 'line 1, column 7 (byte 6), a: U+00A0 stands where a comma or } is expected'],
    [
      '{"a":21.5°C}',
      'line 1, column 10 (byte 9), a: ° (U+00B0) stands where a comma or } is expected',
    ],
    // Commas.
    ['[1,]', 'line 1, column 4 (byte 3), record 1: the comma before ] is one too many'],
    ['{"a":1,}', 'line 1, column 8 (byte 7): the comma before } is one too many'],
    ['[1,,2]', 'line 1, column 4 (byte 3), record 1: a value is missing before the comma'],
    ['{,"a":1}', 'line 1, column 2 (byte 1): a member is missing before the comma'],
    ['{"a":}', 'line 1, column 6 (byte 5), a: a value is missing before }'],
    ['[1}', 'line 1, column 3 (byte 2), record 0: } stands where a comma or ] is expected'],
    ['[}', 'line 1, column 2 (byte 1), record 0: } stands in a list, which ] ends'],
    [
      '[{"v":21,5}]',
      'line 1, column 10 (byte 9), record 0: a number stands where a name in double quotes is expected: decimals take a point, not a comma',
    ],
    // Numbers.
    ['[+1]', 'line 1, column 2 (byte 1), record 0: a number begins with +: leave the sign out'],
    [
      '[.5]',
      'line 1, column 2 (byte 1), record 0: a number begins with its point: write a 0 before it',
    ],
    [
      '[007]',
      'line 1, column 3 (byte 2), record 0: a number begins with 0: leave out the zeros before it',
    ],
    ['[0x1F]', 'line 1, column 3 (byte 2), record 0: x1F stands where a comma or ] is expected'],
    ['[5.]', 'line 1, column 4 (byte 3), record 0: a digit is missing after the point'],
    ['[-]', 'line 1, column 3 (byte 2), record 0: a digit is missing after the minus'],
    ['[1e+]', 'line 1, column 5 (byte 4), record 0: a digit is missing in the exponent'],
    // Texts.
    ['{"a":"x\ty"}', String.raw`line 1, column 8 (byte 7), a: a raw tab in a text: write \t`],
    [
      '{"a":"x\ny"}',
      String.raw`line 1, column 8 (byte 7), a: a raw line break in a text: write \n, or end the text with its quote`,
    ],
    ['{"a":"x\0"}', String.raw`line 1, column 8 (byte 7), a: byte 0x00 in a text: write \u0000`],
    [
      String.raw`{"a":"C:\data"}`,
      String.raw`line 1, column 9 (byte 8), a: \d is no escape: a backslash itself is written \\`,
    ],
    [
      String.raw`{"a":"\u12g4"}`,
      String.raw`line 1, column 7 (byte 6), a: \u is without its four hexadecimal digits`,
    ],
    // Columns count characters, bytes bytes; a byte order mark is none of them.
    ['{"ä€😀":1,\n "b" 2}', 'line 2, column 6 (byte 21), b: 2 stands where a colon is expected'],
    ['\ufeff[NaN]', 'line 1, column 2 (byte 4), record 0: NaN is not a JSON number'],
    // Members of members.
    [
      '[{"a":{"b c":[1,{"d":nan}]}}]',
      'line 1, column 22 (byte 21), record 0, a."b c"[1].d: nan is not a JSON number',
    ],
  ])('%j', (body, told) => {
    expect(tell(body)).toBe(told);
  });

  it('of bytes that are not UTF-8', () => {
    expect(tell(Buffer.from('{"a":"Temp\xe9rature"}', 'latin1'))).toBe(
      'line 1, column 11 (byte 10), a: byte 0xE9 is not UTF-8: is the text in Latin-1?',
    );
    expect(tell(Buffer.from('\ufeff{"a":1}', 'utf16le'))).toBe(
      'line 1, column 1 (byte 0): the text is in UTF-16: send UTF-8',
    );
    expect(tell(Buffer.from('{"a":"1 €"}').subarray(0, 10))).toBe(
      'line 1, column 10 (byte 10), a: it ends inside a character, after 10 bytes',
    );
  });

  it('with the hint of the kind', () => {
    const fault = findFaultInText('[NaN]');
    expect(fault && describeFault(fault, { notFinite: 'send null', end: 'is it whole?' })).toBe(
      'line 1, column 2 (byte 1), record 0: NaN is not a JSON number: send null',
    );
  });

  it('is short, however long the text is', () => {
    const long = 'n'.repeat(10_000);
    for (const body of [
      `[${long}]`,
      `{${long}:1}`,
      `{"${long}":nan}`,
      `${'{"a":'.repeat(10_000)}nan`,
    ]) {
      expect(tell(body)?.length).toBeLessThan(250);
    }
  });
});

/** JSON, and JSON that was damaged at some places, or cut, or put together. */
const texts = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc
    .tuple(
      fc.json({ maxDepth: 4 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(2), piece()), { minLength: 1, maxLength: 3 }),
    )
    .map(([json, changes]) => {
      let text = json;
      for (const [place, removed, put] of changes) {
        const at = place % (text.length + 1);
        text = text.slice(0, at) + put + text.slice(at + removed);
      }
      return text;
    }),
  fc.tuple(fc.json({ maxDepth: 4 }), fc.nat()).map(([json, at]) => json.slice(0, at % json.length)),
  fc.array(piece(), { maxLength: 12 }).map((pieces) => pieces.join('')),
);

function piece(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      ...'[ ] { } , : " \\ - + . 0 e E 1 9 \n \t \0 \' / # é € 😀 \u00a0 \ufeff n t f'.split(' '),
    ),
    fc.constant(' '),
    fc.constantFrom(
      'true',
      'false',
      'null',
      'NaN',
      '""',
      '"a":',
      '0.5',
      '1e9',
      '\\u00e9',
      '\\ud83d',
      '\\n',
      'nul',
    ),
  );
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Texts that may be missing inside of a value, and after it in its object. */
const inners = '|0|""|"|n"|\\"|0000"|000"|00"|0"|rue|ue|e|alse|lse|se|ull|ll|l'.split('|');
const afters = ['', ':0', '"":0', '0'];

/** True if some text that begins so is JSON. */
function isBeginning(text: string): boolean {
  const open: string[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') {
      for (i += 1; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i += 1;
    } else if (char === '[') open.unshift(']');
    else if (char === '{') open.unshift('}');
    else if (char === ']' || char === '}') open.shift();
  }
  const closers = open.join('');
  return inners.some((inner) => afters.some((after) => isJson(text + inner + after + closers)));
}

describe('the first fault', () => {
  it('is found in each text that JSON.parse refuses, after a valid beginning, and in no other', () => {
    let refused = 0;
    fc.assert(
      fc.property(texts, (text) => {
        // A byte order mark is passed over; half a surrogate pair is no UTF-8.
        fc.pre(!text.startsWith('\ufeff') && text.isWellFormed());
        const fault = findFaultInText(text);
        expect(fault === undefined, text).toBe(isJson(text));
        if (fault === undefined) return;
        refused += 1;
        const before = Buffer.from(text).subarray(0, fault.byte);
        expect(isBeginning(before.toString()), `${text} before byte ${fault.byte}`).toBe(true);
      }),
      { numRuns: 5_000 },
    );
    expect(refused).toBeGreaterThan(1_000);
  });

  it('is found in all bytes that are no JSON, or not UTF-8', () => {
    const damaged = fc
      .tuple(
        fc.json({ maxDepth: 3, stringUnit: 'binary' }),
        fc.nat(),
        fc.uint8Array({ maxLength: 3 }),
      )
      .map(([json, place, put]) => {
        const bytes = Buffer.from(json);
        const at = place % (bytes.length + 1);
        return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + put.length)]);
      });
    fc.assert(
      fc.property(damaged, (bytes) => {
        const isGood = isUtf8(bytes) && isJson(bytes.toString());
        expect(findJsonFault(bytes) === undefined, bytes.toString('latin1')).toBe(isGood);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is found at any depth', () => {
    const deep = 100_000;
    expect(findFaultInText('['.repeat(deep) + ']'.repeat(deep))).toBeUndefined();
    expect(findFaultInText('['.repeat(deep))?.byte).toBe(deep);
  });
});
