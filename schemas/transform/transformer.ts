import type { ProfileConfig } from '../resources/profile-config.ts';
import type { KeptDecimals } from './exact-numbers.ts';
import { isObject, shown } from '../json/shown.ts';
import type { Instant } from './instant.ts';
import { TimeReader } from './time-layouts.ts';
import { absent, Path } from './path.ts';

type TransformerConfig = NonNullable<ProfileConfig['transformer']>;

/** A profile's transformer, prepared once: `data_field`, then the time, then `data_filters`. */
export class Transformer {
  readonly dataField: Path | undefined;
  readonly timeField: Path | undefined;
  readonly time: TimeReader;
  /** The decimals that may be times. */
  readonly times: KeptDecimals | undefined;
  /** How many keys are looked up in each record. */
  readonly filterKeys: number;
  readonly #filters: readonly Path[];

  constructor(config: TransformerConfig) {
    this.dataField = config.data_field ? new Path(config.data_field) : undefined;
    this.timeField = config.time_field ? new Path(config.time_field) : undefined;
    this.time = new TimeReader(config.time_format, config.time_location);
    const hasNumbers = this.timeField !== undefined && this.time.takesNumbers;
    this.times = hasNumbers ? this.timeField.decimals : undefined;
    // An empty path leads nowhere: clients send one where they mean none.
    const filters = (config.data_filters ?? []).filter((path) => path !== '');
    this.#filters = filters.map((path) => new Path(path));
    this.filterKeys = this.#filters.reduce((sum, { depth }) => sum + depth, 0);
  }

  /** The part to keep: one object or several; or a text that says what is wrong. */
  data(
    record: Readonly<Record<string, unknown>>,
  ): readonly Readonly<Record<string, unknown>>[] | string {
    if (this.dataField === undefined) return [record];
    const field = shown(this.dataField.text);
    const value = this.dataField.find(record);
    if (value === absent) return `data_field ${field} is missing`;
    if (isObject(value)) return [value];
    if (!Array.isArray(value))
      return `data_field ${field} must be an object or an array of objects`;
    const items: readonly unknown[] = value;
    const records = items.filter(isObject);
    const isWhole = records.length === items.length && items.length > 0;
    return isWhole ? records : `data_field ${field} must hold objects only`;
  }

  /** Whether the part to keep is a list, however many records it has. */
  keepsList(message: unknown): boolean {
    return !isObject(message) || Array.isArray(this.dataField?.find(message));
  }

  /**
   * Reads the time of a part into `time`. It stands in the part, or else beside it in the whole; an absent one is `now`.
   * Returns what is wrong with it.
   */
  readTime(
    part: Readonly<Record<string, unknown>>,
    whole: Readonly<Record<string, unknown>>,
    now: Instant,
    time: Instant,
  ): string | undefined {
    const { timeField } = this;
    const own = timeField === undefined ? absent : timeField.find(part);
    const value = own === absent && timeField !== undefined ? timeField.find(whole) : own;
    time.clear();
    if (timeField === undefined || value === absent) {
      time.add(now);
      return undefined;
    }
    const problem = this.time.read(value, now.seconds, time);
    return problem === undefined ? undefined : `time_field ${shown(timeField.text)}: ${problem}`;
  }

  /** The members to keep, flat under their dotted paths; all of them where none are named. */
  filter(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    if (this.#filters.length === 0) return record;
    const kept: Record<string, unknown> = {};
    for (const path of this.#filters) {
      const value = path.find(record);
      if (value !== absent) kept[path.text] = value;
    }
    return kept;
  }
}
