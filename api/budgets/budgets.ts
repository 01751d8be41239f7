import { Budget, type BudgetLimits } from './budget.ts';

/** A budget's name in words, and its limits where `API_SHARE_SCALE` is 1. */
type Definition = BudgetLimits & { what: string; scaledMax?: number };

const nobodyWaits = { waitingMax: 0, waitingPerCallerMax: 0, waitMsMax: 0 };
const mebibyte = 1024 ** 2;

/**
 * Everything that one caller can use of an API process, in one table. `API_SHARE_SCALE` makes all of it larger or
 * smaller; infra/guide/settings.md says what each protects.
 */
export const table = {
  requests: {
    what: 'requests',
    max: 1_000,
    perOrgMax: 400,
    perCallerMax: 200,
    strangersMax: 250,
    ...nobodyWaits,
  },
  passedOn: {
    what: 'messages on their way to the edge',
    max: 1_000,
    perOrgMax: 1_000,
    perCallerMax: 500,
    strangersMax: 1_000,
    ...nobodyWaits,
  },
  bodyBytes: {
    what: 'bytes of bodies',
    max: 128 * mebibyte,
    perOrgMax: 64 * mebibyte,
    perCallerMax: 32 * mebibyte,
    strangersMax: 16 * mebibyte,
    ...nobodyWaits,
  },
  reads: {
    what: 'reader queries',
    max: 8,
    perOrgMax: 6,
    perCallerMax: 4,
    strangersMax: 0,
    waitingMax: 256,
    waitingPerCallerMax: 32,
    waitMsMax: 15_000,
  },
  exports: {
    what: 'exports',
    max: 6,
    perOrgMax: 3,
    perCallerMax: 2,
    strangersMax: 0,
    waitingMax: 256,
    waitingPerCallerMax: 32,
    waitMsMax: 15_000,
  },
  statements: {
    what: 'statements of lists, searches and changes',
    max: 16,
    perOrgMax: 8,
    perCallerMax: 4,
    strangersMax: 2,
    waitingMax: 1_000,
    waitingPerCallerMax: 200,
    waitMsMax: 10_000,
  },
  largePages: {
    what: 'large pages of lists',
    max: 2,
    perOrgMax: 1,
    perCallerMax: 1,
    strangersMax: 0,
    waitingMax: 1_000,
    waitingPerCallerMax: 200,
    waitMsMax: 10_000,
  },
  passwordHashes: {
    what: 'logins',
    // Of libuv's four threads one stays free to verify tokens, which would otherwise wait for a hash (9 ms, not 0.5).
    scaledMax: 3,
    max: 1,
    perOrgMax: 1,
    perCallerMax: 1,
    strangersMax: 1,
    waitingMax: 1_000,
    waitingPerCallerMax: 128,
    waitMsMax: 15_000,
  },
  streams: {
    what: 'streams',
    max: 100,
    perOrgMax: 30,
    perCallerMax: 10,
    strangersMax: 0,
    ...nobodyWaits,
  },
  nextMessages: {
    what: 'waits for the next message of a thing',
    max: 100,
    perOrgMax: 10,
    perCallerMax: 4,
    strangersMax: 0,
    ...nobodyWaits,
  },
  streamReads: {
    what: 'reads of streams',
    max: 4,
    perOrgMax: 2,
    perCallerMax: 1,
    strangersMax: 0,
    // As many as there may be streams: each waits with one read at a time.
    waitingMax: 1_000,
    waitingPerCallerMax: 1_000,
    waitMsMax: 30_000,
  },
} as const satisfies Record<string, Definition>;

type BudgetName = keyof typeof table;
export type Budgets = Readonly<Record<BudgetName, Budget>>;

/** Makes the budgets: `scale` times those of the table, but for what is given of one. */
export function createBudgets(
  scale = 1,
  given: Partial<Record<BudgetName, Partial<BudgetLimits>>> = {},
): Budgets {
  return mapped(table, (definition: Definition, name) => {
    const { what, scaledMax = Number.POSITIVE_INFINITY, ...limits } = definition;
    const scaled = (limit: number) =>
      limit === 0 ? 0 : Math.min(scaledMax, Math.max(1, Math.round(limit * scale)));
    const { max = scaled(limits.max), ...own } = given[name] ?? {};
    return new Budget(what, {
      ...limits,
      max,
      perOrgMax: Math.min(max, own.perOrgMax ?? scaled(limits.perOrgMax)),
      perCallerMax: Math.min(max, own.perCallerMax ?? scaled(limits.perCallerMax)),
      // The share of strangers stays what it is in the table.
      strangersMax: Math.ceil((max * limits.strangersMax) / limits.max),
    });
  });
}

/** The same of each member. */
function mapped<Name extends string, From, To>(
  from: Readonly<Record<Name, From>>,
  to: (one: From, name: Name) => To,
): Record<Name, To>;
function mapped(
  from: Readonly<Record<string, unknown>>,
  to: (one: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from).map(([name, one]) => [name, to(one, name)]));
}
