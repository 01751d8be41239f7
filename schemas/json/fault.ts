/**
 * Finds where a text that `JSON.parse` refused stops being JSON (RFC 8259) in UTF-8, and why. Only refused texts come
 * here: who reads JSON that is right pays nothing for it.
 */

import { type FaultKind, type JsonFault, Walk } from './walk.ts';

export type { JsonFault } from './walk.ts';

/** Hints that a reader of one kind of text adds to the problem. */
export type FaultHints = { readonly [Kind in FaultKind]?: string };

/** `line 1, column 19 (byte 18), record 0, v: NaN is not a JSON number`, and the hint. */
export function describeFault(
  fault: JsonFault,
  hints: FaultHints = {},
  element = 'record',
): string {
  const { byte, line, column, record, member, kind, problem } = fault;
  const place = [`line ${line}, column ${column} (byte ${byte})`];
  if (record !== undefined) place.push(`${element} ${record}`);
  if (member !== '') place.push(member);
  const hint = hints[kind];
  return `${place.join(', ')}: ${problem}${hint === undefined ? '' : `: ${hint}`}`;
}

/** The first fault; undefined: the text is JSON in UTF-8. A byte order mark at its begin is passed over. */
export function findJsonFault(bytes: Uint8Array): JsonFault | undefined {
  return new Walk(bytes).find();
}

/** The same of a text, which may have half a surrogate pair in it. */
export function findFaultInText(text: string): JsonFault | undefined {
  return findJsonFault(new TextEncoder().encode(text));
}
