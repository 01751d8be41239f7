/** The errors this process raises itself, under ClickHouse's own codes. */
const ownCodes = {
  NOT_IMPLEMENTED: 48,
  SYNTAX_ERROR: 62,
  UNKNOWN_COMPRESSION_METHOD: 89,
  UNKNOWN_SETTING: 115,
  INCORRECT_DATA: 117,
  TOO_MANY_SIMULTANEOUS_QUERIES: 202,
  QUERY_IS_TOO_LARGE: 229,
  QUERY_WAS_CANCELLED: 394,
  AUTHENTICATION_FAILED: 516,
  UNKNOWN_EXCEPTION: 1002,
} as const;

/** ClickHouse's exceptionCodeToHTTPStatus; 202 is 503 here, so that a client knows to come back. */
const codesByStatus: readonly (readonly [status: number, codes: readonly number[]])[] = [
  [
    400,
    [
      6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427,
      441, 675, 676,
    ],
  ],
  [401, [194]],
  [403, [192, 193, 497, 512, 516]],
  [404, [46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511]],
  [408, [159]],
  [411, [381]],
  [413, [229]],
  [415, [779]],
  [501, [48]],
  [503, [76, 202, 209, 439]],
];

const statusByCode = new Map(
  codesByStatus.flatMap(([status, codes]) => codes.map((code) => [code, status] as const)),
);

/** A failure as a ClickHouse server tells it: `message` is the whole body of the answer. */
export class ClickHouseError extends Error {
  override readonly name = 'ClickHouseError';
  readonly code: number;
  readonly httpStatus: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
    this.httpStatus = statusByCode.get(code) ?? 500;
  }
}

/** An error of this process's own making. */
export function clickHouseError(name: keyof typeof ownCodes, what: string): ClickHouseError {
  const code = ownCodes[name];
  return new ClickHouseError(code, `Code: ${code}. DB::Exception: ${what}. (${name})`);
}

/** An error of the engine, the disk or the client as a ClickHouseError; unknown causes are 1002. */
export function asClickHouseError(error: unknown): ClickHouseError {
  if (error instanceof ClickHouseError) return error;
  const text = error instanceof Error ? error.message : String(error);
  // The engine repeats its prefix for each of its layers, and chdb puts its own before it.
  const match = /Code: (\d+)\. DB::(?:Net)?Exception: (?!Code: \d)/.exec(text);
  if (match?.[1] === undefined) return clickHouseError('UNKNOWN_EXCEPTION', text);
  return new ClickHouseError(Number(match[1]), text.slice(match.index).trimEnd());
}
