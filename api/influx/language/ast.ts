/*
 * The statements of InfluxQL that `/query` understands, as the parser gives them. Names are as the client wrote them:
 * what they mean in the store is decided by who carries a statement out.
 */

export type Statement = Select | Show | CreateDatabase;

export type Select = {
  kind: 'select';
  fields: readonly Field[];
  sources: readonly Source[];
  condition: Expression | undefined;
  /** Of GROUP BY: `time(…)` as a call, tags as references, a wildcard, regular expressions. */
  dimensions: readonly Expression[];
  fill: Fill;
  order: Order;
  /** Of rows in each series; 0 is no limit. */
  limit: number;
  offset: number;
  /** Of series. */
  seriesLimit: number;
  seriesOffset: number;
  /** As the client wrote it: a name that the machine knows. */
  zone: string | undefined;
};

export type Field = { expression: Expression; alias: string | undefined };

export type Order = 'asc' | 'desc';

export type Fill =
  | { kind: 'null' }
  | { kind: 'none' }
  | { kind: 'previous' }
  | { kind: 'linear' }
  | { kind: 'number'; value: number };

/** `"db"."rp"."measurement"`, or a regular expression in place of the measurement. */
export type Source = {
  database: string | undefined;
  retentionPolicy: string | undefined;
  measurement: Name;
};

/** A name, or a regular expression (RE2) that names match. */
type Name = { kind: 'name'; name: string } | { kind: 'regex'; pattern: string };

export type Expression =
  | { kind: 'binary'; operator: Operator; left: Expression; right: Expression }
  | { kind: 'call'; name: string; arguments: readonly Expression[] }
  /** `type` is what the client wrote after `::`. */
  | { kind: 'reference'; name: string; type: ReferenceType | undefined }
  | { kind: 'distinct'; name: string }
  | { kind: 'wildcard'; type: 'field' | 'tag' | undefined }
  | { kind: 'regex'; pattern: string }
  | { kind: 'number'; value: number }
  | { kind: 'integer'; value: bigint }
  | { kind: 'duration'; nanoseconds: bigint }
  | { kind: 'string'; value: string }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'parentheses'; expression: Expression };

export const referenceTypes = [
  'float',
  'integer',
  'unsigned',
  'string',
  'boolean',
  'field',
  'tag',
] as const;
type ReferenceType = (typeof referenceTypes)[number];

/** The operators, by how tightly they bind: those of the last row bind most tightly. */
export const operatorRows = [
  ['OR'],
  ['AND'],
  ['=', '!=', '=~', '!~', '<', '<=', '>', '>='],
  ['+', '-', '|', '^'],
  ['*', '/', '%', '&'],
] as const;
export type Operator = (typeof operatorRows)[number][number];

/** The clauses that SHOW statements have in common. */
type Shown = {
  /** Of ON. */
  database: string | undefined;
  sources: readonly Source[];
  condition: Expression | undefined;
  order: Order;
  limit: number;
  offset: number;
};

export type Show =
  | { kind: 'showDatabases' }
  | { kind: 'showRetentionPolicies'; database: string | undefined }
  /** `measurement` is that of WITH MEASUREMENT. */
  | (Omit<Shown, 'sources'> & { kind: 'showMeasurements'; measurement: Source | undefined })
  | (Omit<Shown, 'condition'> & { kind: 'showFieldKeys' })
  | (Shown & { kind: 'showTagKeys'; seriesLimit: number; seriesOffset: number })
  | (Shown & { kind: 'showTagValues'; keys: TagKeys })
  | (Shown & { kind: 'showSeries' })
  /** How many series or measurements there are; estimated unless `exact`. */
  | (Shown & { kind: 'showCardinality'; of: 'series' | 'measurements'; exact: boolean });

/** Of WITH KEY. */
export type TagKeys =
  | { kind: 'names'; names: readonly string[] }
  | { kind: 'otherThan'; name: string }
  | { kind: 'matching'; pattern: string }
  | { kind: 'notMatching'; pattern: string };

/** Clients send it before they write. */
type CreateDatabase = { kind: 'createDatabase'; name: string };
