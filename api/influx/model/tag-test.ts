/** How a tag is compared. An absent tag is an empty text, as in InfluxDB. Patterns are RE2. */
export type TagTest = {
  tag: string;
  kind: 'equal' | 'unequal' | 'matches' | 'matchesNot';
  value: string;
};

/** The texts that the test is for, if these can be told; of a test that is negated, those that it leaves out. */
export function literalsOfTest({ kind, value }: TagTest): readonly string[] | undefined {
  return kind === 'equal' || kind === 'unequal' ? [value] : literalsOf(value);
}

/** Whether ClickHouse and PostgreSQL read it as an id. */
export const isUuid = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Texts of one pattern that are looked up one by one. */
const literalsMax = 1_000;

/** Texts of an alternative: characters that mean themselves, or are escaped. */
const alternative = /^(?:[^\\^$.*+?()[\]{}|]|\\[^A-Za-z0-9])*$/;

/**
 * The texts that a pattern matches, if it names them one by one, as dashboards do: `^a$`, `^(a|b)$`, `^(?:a|b)$`.
 * Undefined of all other patterns.
 */
export function literalsOf(pattern: string): readonly string[] | undefined {
  const [, inner] = /^\^(.*)\$$/s.exec(pattern) ?? [];
  if (inner === undefined) return undefined;
  const [, grouped] = /^\((?:\?:)?(.*)\)$/s.exec(inner) ?? [];
  const parts = grouped === undefined ? [inner] : splitAlternatives(grouped);
  if (parts.length > literalsMax || !parts.every((part) => alternative.test(part)))
    return undefined;
  return parts.map((part) => part.replace(/\\(.)/gs, '$1'));
}

/** Its parts between bars that are not escaped. */
function splitAlternatives(text: string): string[] {
  return text.match(/(?:^|(?<=\|))(?:[^\\|]|\\.)*/gs) ?? [''];
}
