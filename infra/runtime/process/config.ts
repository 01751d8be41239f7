import envSchema from 'env-schema';
import { type Static, type TObject, Type } from 'typebox';

/** A value that must not be printed: only `reveal` gives it away. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '***';
  }
}

/** A TCP port. With 0 the system chooses one, and the ready line has it. */
export const port = (byDefault: number) =>
  Type.Integer({ minimum: 0, maximum: 65_535, default: byDefault });

/** A TCP port that need not be there: a port, or `off`. */
export const portOrOff = (byDefault: number) =>
  Type.String({ pattern: '^(off|\\d{1,5})$', default: String(byDefault) });

/** Undefined: off. @throws ConfigError for a number that is no port. */
export function portOf(setting: string): number | undefined {
  if (setting === 'off') return undefined;
  if (Number(setting) > 65_535) throw new ConfigError(`${setting} is no port`);
  return Number(setting);
}

/** Where the databases are. The supervisor sets these for the embedded ones. */
export const connectionSettings = {
  DATABASE_URL: Type.String({ pattern: '^postgres(ql)?://' }),
  // With Sentinel: redis+sentinel://:password@host:26379,host:26379/name
  REDIS_URL: Type.String({ pattern: '^rediss?(://|\\+sentinel://[^/]+/[^/?]+)' }),
  CLICKHOUSE_URL: Type.String({ pattern: '^https?://' }),
};

/** `LOG_LEVEL`: how much a process logs. */
export const logSettings = {
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], { default: 'info' }),
};

/** Thrown by `readSettings`: one message that names every bad variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads this process's settings from the environment, once, at start. Numbers and booleans come out
 * as such; an empty variable counts as absent.
 *
 * @throws ConfigError naming every variable that is missing or wrong, together.
 */
export function readSettings<T extends TObject>(schema: T, env: NodeJS.ProcessEnv): Static<T> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  try {
    return envSchema<Static<T>>({ schema, data: given, env: false });
  } catch (error) {
    throw new ConfigError(describe(error));
  }
}

function describe(error: unknown): string {
  const list =
    error instanceof Error && 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  const lines = list.map((one: { instancePath?: string; message?: string; params?: object }) => {
    const name = one.instancePath?.slice(1) || missingName(one.params) || 'environment';
    const values =
      one.params !== undefined && 'allowedValues' in one.params
        ? ` (${String(one.params.allowedValues)})`
        : '';
    return `${name}: ${one.message ?? 'is wrong'}${values}`;
  });
  return lines.length > 0 ? [...new Set(lines)].join('; ') : String(error);
}

function missingName(params: object | undefined): string | undefined {
  return params !== undefined && 'missingProperty' in params
    ? String(params.missingProperty)
    : undefined;
}
