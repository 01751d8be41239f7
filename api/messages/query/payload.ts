import type { Where } from './where.ts';

/*
 * SQL for values in a payload. ClickHouse's JSON functions read nothing from a payload that has an integer beyond
 * 64 bits anywhere. So only if they find nothing, such integers are searched for and written in a form that these
 * functions read.
 */

/** Whether the payload may have such an integer: 20 digits, or 19 of a negative number. */
export const mayHaveLongInteger = `match(payload, '-[0-9]{19}|[0-9]{20}')`;

/** Such an integer, with the characters around it. */
const longInteger = String.raw`([\\[,:\\s])(-[0-9]{19,}|[0-9]{20,})([,\\]}\\s])`;

/** The payload with such integers replaced, but not within texts and names. */
function payloadWith(replacement: string): string {
  // Twice: of two neighbours in an array, the match of the first takes the comma between them.
  const once = (part: string) => `replaceRegexpAll(${part}, '${longInteger}', ${replacement})`;
  return `arrayStringConcat(arrayMap(
    part -> if(startsWith(part, '"'), part, ${once(once('part'))}),
    extractAll(payload, '"(?:[^"\\\\\\\\]|\\\\\\\\.)*"|[^"]+')))`;
}

/** The payload with such integers as doubles. */
const payloadOfDoubles = payloadWith(String.raw`'\\1\\2e0\\3'`);

/** The condition that the payload has one of these paths. */
export function hasOneOf({ usual, rare }: Paths): string {
  const found = (payload: string, paths: readonly string[]) =>
    paths.map((path) => `JSONHas(${payload}, ${path})`).join(' OR ');
  const inRare =
    rare.length === 0 ? '' : ` OR ${mayHaveDottedName} AND ${inReadable(found('doc', rare))}`;
  return `(${found('payload', usual)} OR ${mayHaveLongInteger} AND (${found(payloadOfDoubles, usual)})${inRare})`;
}

/** The number at the first of these paths that leads to one, or null. */
export function numberAt({ usual, rare }: Paths): string {
  const found = (payload: string, paths: readonly string[]) =>
    `coalesce(${paths.map((path) => `JSONExtract(${payload}, ${path}, 'Nullable(Float64)')`).join(', ')})`;
  const [plain, others] = [found('payload', usual), found(payloadOfDoubles, usual)];
  const first = `if(isNull(${plain}) AND ${mayHaveLongInteger}, ${others}, ${plain})`;
  return rare.length === 0
    ? first
    : `if(isNull(${plain}) AND ${mayHaveDottedName}, ${inReadable(found('doc', rare))}, ${first})`;
}

/** An expression over `doc`, the payload as JSON functions can read it, which is written out once. */
const inReadable = (expression: string) =>
  `arrayMap(doc -> ${expression}, [${readablePayload}])[1]`;

/** Whether the member of this name has this text. */
export function isText(name: string, text: string): string {
  const is = (payload: string) =>
    `JSONType(${payload}, ${name}) = 'String' AND JSONExtractString(${payload}, ${name}) = ${text}`;
  return `(${is('payload')} OR ${mayHaveLongInteger} AND ${is(payloadOfDoubles)})`;
}

/** A payload that JSON functions can read; its long integers are rounded. */
export const readablePayload = `if(${mayHaveLongInteger}, ${payloadOfDoubles}, payload)`;

/**
 * Whether a member's name may have a dot: only then can a dotted path mean something other than a step for each dot.
 */
export const mayHaveDottedName = String.raw`match(payload, '"(?:[^"\\\\]|\\\\.)*(?:[.]|\\\\u002[eE])(?:[^"\\\\]|\\\\.)*"\\s*:')`;

/** As deep as a message may be. */
const pathPartsMax = 32;
/** If a path has more parts, not all ways to join them are looked at: each part doubles their number. */
const freelyJoinedPartsMax = 6;

/**
 * The places that a dotted path may lead to in a payload, as `pathBinder` writes them. Rare ones are looked at only if
 * a name may have a dot, and nothing was found at the usual ones.
 */
type Paths = { usual: readonly string[]; rare: readonly string[] };

export function jsonPaths(where: Where, path: string): Paths {
  const written = pathBinder(where);
  return { usual: written(usualWays(path)), rare: written(rareWays(path)) };
}

/**
 * Where a path may lead in a payload, each as the names of its steps: a step for each dot; or, where names may have
 * dots, all other ways.
 */
export function namesAlong(path: string, hasDottedNames: boolean): string[][] {
  return hasDottedNames ? [...usualWays(path), ...rareWays(path)] : [path.split('.')];
}

/**
 * A step for each dot; the whole path as one name, as a transformer's filters store a value; and all between. Messages
 * are not deeper than ingest takes them.
 */
function usualWays(path: string): string[][] {
  const parts = path.split('.');
  return parts
    .slice(0, pathPartsMax)
    .map((_part, at) => [...parts.slice(0, at), parts.slice(at).join('.')]);
}

/** All other ways to join parts to names, as `{"56.0":{"x":2}}` has them. */
function rareWays(path: string): string[][] {
  const parts = path.split('.');
  if (parts.length > freelyJoinedPartsMax) return [];
  const usual = new Set(usualWays(path).map((names) => JSON.stringify(names)));
  return joined(parts).filter((names) => !usual.has(JSON.stringify(names)));
}

/** All ways to join neighbours by dots. */
function joined([first = '', ...others]: readonly string[]): string[][] {
  if (others.length === 0) return [[first]];
  return joined(others).flatMap(([next = '', ...rest]) => [
    [first, next, ...rest],
    [`${first}.${next}`, ...rest],
  ]);
}

/** Writes paths as arguments of ClickHouse's JSON functions, and binds each name once, however many have it. */
export function pathBinder(where: Where): (paths: readonly string[][]) => string[] {
  const known = new Map<string, string>();
  const bind = (name: string) => {
    const placeholder = known.get(name) ?? where.bind('String', name);
    known.set(name, placeholder);
    return placeholder;
  };
  return (paths) => paths.map((names) => names.map(bind).join(', '));
}

/** How a cell is written: a text, and JSON. */
export type Cells = { ofText: (text: string) => string; ofJson: (json: string) => string };

/**
 * The value at the first of these paths that the payload has, or null: numbers and booleans as they are, texts and
 * arrays or objects as `cells` writes them. `name` is the column's own.
 */
export function cellAt(name: string, paths: readonly string[], { ofText, ofJson }: Cells): string {
  const text = ofText(`JSONExtractString(${name})`);
  return firstCell(name, 'payload', paths, { text, json: ofJson(name) });
}

/**
 * Cells where some payloads have long integers, which are kept to the digit. `named` must be named in the SELECT, before
 * them. `mark` is the placeholder of a text of letters that no payload has.
 */
export function markedCells(mark: string) {
  const marked = payloadWith(String.raw`concat('\\1"', ${mark}, '\\2"\\3')`);
  return {
    named: [
      `if(${mayHaveLongInteger}, ${marked}, payload) AS marked`,
      `concat('"', ${mark}, '(-?[0-9]+)"') AS any_mark`,
    ],
    cellAt: (name: string, paths: readonly string[], { ofText, ofJson }: Cells) => {
      const text = `${name}_text`;
      const integer = `substring(${text}, length(${mark}) + 1)`;
      return firstCell(name, 'marked', paths, {
        text: `if(startsWith(JSONExtractString(${name}) AS ${text}, ${mark}), ${integer}, ${ofText(text)})`,
        json: ofJson(`replaceRegexpAll(${name}, any_mark, '\\\\1')`),
      });
    },
  };
}

/**
 * Writes each path once, and names the value that is found `name`: a repeated expression counts against the limits of a
 * query, and is computed again.
 */
function firstCell(
  name: string,
  payload: string,
  paths: readonly string[],
  { text, json }: { text: string; json: string },
): string {
  const found = paths.map((path, at) => {
    const [raw, alias] = [`JSONExtractRaw(${payload}, ${path})`, `${name}_${at}`];
    return at === paths.length - 1 ? raw : `(${raw} AS ${alias}) NOT IN ('', 'null'), ${alias}`;
  });
  const first = found.length === 1 ? found.join('') : `multiIf(${found.join(', ')})`;
  return `multiIf((${first} AS ${name}) IN ('', 'null'), NULL, startsWith(${name}, '"'), ${text},
                  startsWith(${name}, '[') OR startsWith(${name}, '{'), ${json}, ${name})`;
}
