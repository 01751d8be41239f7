import type { Where } from './where.ts';

/*
 * What is looked up in a payload. ClickHouse's JSON functions take a payload that has an integer beyond 64 bits
 * anywhere for no JSON at all. So where they find nothing, and only there, such integers are looked for and
 * written so that they can be read.
 */

/** Whether there may be one: 20 digits, or 19 of a negative number. */
export const mayHaveLongInteger = `match(payload, '-[0-9]{19}|[0-9]{20}')`;

/** Such an integer, between what stands around it. */
const longInteger = String.raw`([\\[,:\\s])(-[0-9]{19,}|[0-9]{20,})([,\\]}\\s])`;

/** The payload with such integers written otherwise; what stands in texts and names stays as it is. */
function payloadWith(replacement: string): string {
  // Twice: of two that stand side by side the first takes the comma between them.
  const once = (part: string) => `replaceRegexpAll(${part}, '${longInteger}', ${replacement})`;
  return `arrayStringConcat(arrayMap(
    part -> if(startsWith(part, '"'), part, ${once(once('part'))}),
    extractAll(payload, '"(?:[^"\\\\\\\\]|\\\\\\\\.)*"|[^"]+')))`;
}

/** As doubles, which is what they are counted as. */
const payloadOfDoubles = payloadWith(String.raw`'\\1\\2e0\\3'`);

/** Whether one of these paths is there; paths are as `jsonPaths` gives them. */
export function hasOneOf(paths: readonly string[]): string {
  const found = (payload: string) =>
    paths.map((path) => `JSONHas(${payload}, ${path})`).join(' OR ');
  return `(${found('payload')} OR ${mayHaveLongInteger} AND (${found(payloadOfDoubles)}))`;
}

/** The number at the first of these paths that has one, or null. */
export function numberAt(paths: readonly string[]): string {
  const found = (payload: string) =>
    `coalesce(${paths.map((path) => `JSONExtract(${payload}, ${path}, 'Nullable(Float64)')`).join(', ')})`;
  const [plain, others] = [found('payload'), found(payloadOfDoubles)];
  return `if(isNull(${plain}) AND ${mayHaveLongInteger}, ${others}, ${plain})`;
}

/** Whether the member of this name is this text. */
export function isText(name: string, text: string): string {
  const is = (payload: string) =>
    `JSONType(${payload}, ${name}) = 'String' AND JSONExtractString(${payload}, ${name}) = ${text}`;
  return `(${is('payload')} OR ${mayHaveLongInteger} AND ${is(payloadOfDoubles)})`;
}

/** A payload that JSON functions can read, for what only looks at its paths. */
export const readablePayload = `if(${mayHaveLongInteger}, ${payloadOfDoubles}, payload)`;

/** Whether a member may have a name with a dot in it: only then can a dotted path lead elsewhere than down by each dot. */
export const mayHaveDottedName = String.raw`match(payload, '"(?:[^"\\\\]|\\\\.)*(?:[.]|\\\\u002[eE])(?:[^"\\\\]|\\\\.)*"\\s*:')`;

/** As deep as a message may be. */
const pathPartsMax = 32;

/** Where a path may lead in a payload, as `pathBinder` writes it. */
export function jsonPaths(where: Where, path: string): string[] {
  return pathBinder(where)(namesAlong(path, true));
}

/**
 * Where a path may lead in a payload, each as the names on the way: down by all of its dots; or, where names may
 * have dots, flat under the whole path, as a transformer's filters store a value, or down by some. Deeper than
 * ingest takes messages there is nothing.
 */
export function namesAlong(path: string, hasDottedNames: boolean): string[][] {
  const parts = path.split('.');
  if (!hasDottedNames) return [parts];
  return parts
    .slice(0, pathPartsMax)
    .map((_part, at) => [...parts.slice(0, at), parts.slice(at).join('.')]);
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

/** How a cell is written: what a text is, and what is JSON. */
export type Cells = { ofText: (text: string) => string; ofJson: (json: string) => string };

/**
 * What stands at the first of these paths that is there, or null: a number and a boolean as they are, a text and
 * an array or object as `cells` makes them. `name` is the column's own.
 */
export function cellAt(name: string, paths: readonly string[], { ofText, ofJson }: Cells): string {
  const text = ofText(`JSONExtractString(${name})`);
  return firstCell(name, 'payload', paths, { text, json: ofJson(name) });
}

/**
 * Cells where some payloads have such integers, which are given to the digit: `before` stands before the
 * SELECT. `mark` is the placeholder of a text of letters that no payload holds.
 */
export function markedCells(mark: string) {
  const marked = payloadWith(String.raw`concat('\\1"', ${mark}, '\\2"\\3')`);
  return {
    before: `WITH if(${mayHaveLongInteger}, ${marked}, payload) AS marked,
                  concat('"', ${mark}, '(-?[0-9]+)"') AS any_mark`,
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
 * Each path stands in it once, and `name` for what is there: what is written again counts against the limits of a
 * query, and is looked up again, for each of its columns.
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
