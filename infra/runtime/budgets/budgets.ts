import { Type } from 'typebox';
import { Budget, type BudgetLimits } from './budget.ts';

/** A budget's name in settings, its name in words, and its default limits. */
type Definition = BudgetLimits & { setting: string; what: string; settingMax?: number };

const nobodyWaits = { waitingMax: 0, waitingPerCallerMax: 0, waitMsMax: 0 };
const mebibyte = 1024 ** 2;

/**
 * Everything that one caller can use of an API process, in one table. `<SETTING>_MAX`, `<SETTING>_PER_ORG_MAX` and
 * `<SETTING>_PER_CALLER_MAX` change these limits; infra/guide/settings.md says what each protects.
 */
const table = {
  requests: {
    setting: 'REQUESTS',
    what: 'requests',
    max: 1_000,
    perOrgMax: 400,
    perCallerMax: 200,
    strangersMax: 250,
    ...nobodyWaits,
  },
  passedOn: {
    setting: 'PASSED_ON',
    what: 'messages on their way to the edge',
    max: 1_000,
    perOrgMax: 1_000,
    perCallerMax: 500,
    strangersMax: 1_000,
    ...nobodyWaits,
  },
  bodyBytes: {
    setting: 'BODY_BYTES_HELD',
    what: 'bytes of bodies',
    max: 128 * mebibyte,
    perOrgMax: 64 * mebibyte,
    perCallerMax: 32 * mebibyte,
    strangersMax: 16 * mebibyte,
    ...nobodyWaits,
  },
  reads: {
    setting: 'READS',
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
    setting: 'EXPORTS',
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
    setting: 'STATEMENTS',
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
    setting: 'LARGE_PAGES',
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
    setting: 'PASSWORD_HASHES',
    what: 'logins',
    // Of libuv's four threads one stays free to verify tokens, which would otherwise wait for a hash (9 ms, not 0.5).
    settingMax: 3,
    max: 1,
    perOrgMax: 1,
    perCallerMax: 1,
    strangersMax: 1,
    waitingMax: 1_000,
    waitingPerCallerMax: 128,
    waitMsMax: 15_000,
  },
  streams: {
    setting: 'STREAMS',
    what: 'streams',
    max: 100,
    perOrgMax: 30,
    perCallerMax: 10,
    strangersMax: 0,
    ...nobodyWaits,
  },
  streamReads: {
    setting: 'STREAM_READS',
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

export const budgetNames: readonly BudgetName[] = [
  'requests',
  'passedOn',
  'bodyBytes',
  'reads',
  'exports',
  'statements',
  'largePages',
  'passwordHashes',
  'streams',
  'streamReads',
];

const settingsOf = ({ setting, max, perOrgMax, perCallerMax, settingMax }: Definition) => ({
  [`${setting}_MAX`]: Type.Integer({
    minimum: 1,
    ...(settingMax === undefined ? {} : { maximum: settingMax }),
    default: max,
  }),
  [`${setting}_PER_ORG_MAX`]: Type.Integer({ minimum: 1, default: perOrgMax }),
  [`${setting}_PER_CALLER_MAX`]: Type.Integer({ minimum: 1, default: perCallerMax }),
});

/** The settings of all budgets, to stand in a process's schema. */
export const budgetSettings: Record<string, ReturnType<typeof Type.Integer>> = Object.assign(
  {},
  ...budgetNames.map((name) => settingsOf(table[name])),
);

/** Makes the budgets that the settings describe. */
export function createBudgets(settings: Readonly<Record<string, unknown>>): Budgets {
  const create = (name: BudgetName): Budget => {
    const definition: Definition = table[name];
    const { setting, what, settingMax: _, ...limits } = definition;
    const given = (suffix: string, byDefault: number): number => {
      const value = settings[`${setting}_${suffix}`];
      return typeof value === 'number' ? value : byDefault;
    };
    const max = given('MAX', limits.max);
    return new Budget(what, {
      ...limits,
      max,
      perOrgMax: Math.min(max, given('PER_ORG_MAX', limits.perOrgMax)),
      perCallerMax: Math.min(max, given('PER_CALLER_MAX', limits.perCallerMax)),
      // The share of strangers stays what it is in the table.
      strangersMax: Math.ceil((max * limits.strangersMax) / limits.max),
    });
  };
  return {
    requests: create('requests'),
    passedOn: create('passedOn'),
    bodyBytes: create('bodyBytes'),
    reads: create('reads'),
    exports: create('exports'),
    statements: create('statements'),
    largePages: create('largePages'),
    passwordHashes: create('passwordHashes'),
    streams: create('streams'),
    streamReads: create('streamReads'),
  };
}
