import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../limits.ts';
import { findProblemInJson } from './scan.ts';

const oddPieces = [
  '\\u0000',
  '\\ud800',
  '\\uDC00',
  '\\ud83d\\ude00',
  '\\ud83d\\u0041',
  '\\uDBFF\\n',
  '\\\\u0000',
  '\\\\\\ud800',
  '\\"',
  '\\u0001',
  '\\u000',
  '😀',
  '{,',
  '1e999',
];
const oddNumbers = [
  ...[299, 300, 308, 309, 310, 400].map((digits) => '9'.repeat(digits)),
  '1e400',
  '-1e400',
  '1E+309',
  '1e308',
  '1.8e308',
  '1e-400',
  '0e999',
  `0.${'0'.repeat(400)}1e500`,
  `${'9'.repeat(400)}e-300`,
];

const piece = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text).slice(1, -1)),
  { arbitrary: fc.constantFrom(...oddPieces), weight: 1 },
);
const string = fc.array(piece, { maxLength: 4 }).map((pieces) => `"${pieces.join('')}"`);
const scalar = fc.oneof(
  string,
  fc.constantFrom('true', 'false', 'null', ...oddNumbers),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
);
const space = fc.constantFrom('', '', ' ', '\n\t');
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc
      .tuple(fc.array(tie('value'), { maxLength: 5 }), space)
      .map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
    fc.array(fc.tuple(string, tie('value')), { maxLength: 5 }).map(
      // Names that differ: a parser keeps the last of those that do not.
      (members) =>
        `{${members.map(([name, item], i) => `"${i}${name.slice(1)} :${item}`).join(',')}}`,
    ),
  ),
}));
/** A text that may be nested as deep as bodies may, and deeper. */
const text = fc
  .tuple(value, fc.oneof(fc.constant(0), fc.integer({ min: 28, max: 34 })))
  .map(([inner, depth]) => '['.repeat(depth) + inner + ']'.repeat(depth));

type Found = { problems: Set<string>; values: number };

/** The same by a parser and a walk. */
function walk(given: unknown, found: Found, depth = 1): Found {
  if (typeof given === 'string' && (!given.isWellFormed() || given.includes('\0'))) {
    found.problems.add('a string holds NUL or half a surrogate pair');
  }
  if (typeof given === 'number' && !Number.isFinite(given)) {
    found.problems.add('a number is too large');
  }
  if (typeof given !== 'object' || given === null) return found;
  if (depth > limits.bodyDepthMax) found.problems.add(`nested deeper than ${limits.bodyDepthMax}`);
  const members = Object.entries(given);
  // An empty one counts as if it held one.
  found.values += Math.max(1, members.length);
  for (const [name, inner] of members) {
    walk(name, found);
    walk(inner, found, depth + 1);
  }
  return found;
}

function parse(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

describe('the scan of a JSON text', () => {
  it('finds what a parser and a walk find (property)', () => {
    let parsed = 0;
    let refused = 0;
    fc.assert(
      fc.property(text, (given) => {
        const problem = findProblemInJson(Buffer.from(given), Number.POSITIVE_INFINITY);
        const whole = parse(given);
        // What is no JSON, the parser refuses.
        if (whole === undefined) return;
        parsed += 1;
        if (problem !== undefined) refused += 1;
        const { problems, values } = walk(whole, { problems: new Set(), values: 1 });
        if (problem === undefined) {
          expect([...problems]).toEqual([]);
          expect(findProblemInJson(Buffer.from(given), values)).toBeUndefined();
          expect(findProblemInJson(Buffer.from(given), values - 1)).toBe(
            `more than ${values - 1} values`,
          );
        } else {
          expect([...problems]).toContain(problem);
        }
      }),
      { numRuns: 5_000 },
    );
    // It was no empty promise.
    expect(Math.min(refused, parsed - refused)).toBeGreaterThan(500);
  });

  it('ends at the end of a text that was cut, wherever that is (property)', () => {
    fc.assert(
      fc.property(text, fc.nat(), (given, cut) => {
        const bytes = Buffer.from(given);
        expect(['string', 'undefined']).toContain(
          typeof findProblemInJson(bytes.subarray(0, cut % (bytes.length + 1)), 1_000),
        );
      }),
      { numRuns: 1_000 },
    );
  });
});
