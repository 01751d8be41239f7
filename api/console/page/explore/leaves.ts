import { isValue, type Value } from '../../../../schemas/json/leaf.ts';
import type { SenmlMessage } from '../client/live.ts';

/** The value of a SenML record; null for one that is not drawn, such as data. */
export function valueIn(record: SenmlMessage): Value | null {
  return record.value ?? record.string_value ?? record.bool_value ?? null;
}

/** The dotted paths of all values in a payload. */
export function leafPaths(payload: unknown, before = ''): string[] {
  if (isValue(payload)) return [before];
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return [];
  return Object.entries(payload).flatMap(([name, value]) =>
    leafPaths(value, before === '' ? name : `${before}.${name}`),
  );
}
