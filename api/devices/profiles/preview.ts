import { DomainError } from '../../../schemas/http/errors.ts';
import { parseExactly } from '../../../schemas/json/exact.ts';
import { describeFault, findFaultInText } from '../../../schemas/json/fault.ts';
import { isObject } from '../../../schemas/json/shown.ts';
import type { ProfileConfig } from '../../../schemas/resources/profile-config.ts';
import type { PreviewedProfile } from '../../../schemas/resources/profile-preview.ts';
import { parseKeeping, restoreNumbers } from '../../../schemas/transform/exact-numbers.ts';
import { Instant } from '../../../schemas/transform/instant.ts';
import { Transformer } from '../../../schemas/transform/transformer.ts';
import { findProblem } from '../../http/body.ts';
import { limits } from '../../limits.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads a JSON message by a profile's config, with the transformer of the edges.
 *
 * @throws DomainError `malformed` for a config under which a message is no JSON.
 */
export function preview(text: string, config: ProfileConfig, nowMs: number): PreviewedProfile {
  const { content_type: type = '', transformer: given } = config;
  if (type.toLowerCase().startsWith('application/senml')) {
    throw new DomainError('malformed', `config.content_type is ${type}: only JSON is tried`);
  }
  const transformer = given === undefined ? undefined : new Transformer(given);
  const records: { time: string; payload: Members }[] = [];
  let total = 0;
  const refused = (why: string): PreviewedProfile => ({ refused: why, total: 0, records: [] });
  const elements = elementsOf(text, transformer);
  if (typeof elements === 'string') return refused(elements);
  for (const [at, element] of elements.entries()) {
    const parts = recordsOf(element, transformer, nowMs);
    if (typeof parts === 'string') return refused(`record ${at}: ${parts}`);
    total += parts.length;
    if (total * (transformer?.filterKeys ?? 0) > limits.previewLookupsMax) {
      return refused('body: too many records for the data_filters of the profile');
    }
    for (const { time, kept } of parts) {
      if (records.length === limits.previewedRecordsMax) break;
      records.push({ time, payload: exactly(kept()) });
    }
  }
  return { total, records };
}

/** The objects of a message; or why it is none. */
function elementsOf(text: string, transformer: Transformer | undefined): Members[] | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const fault = findFaultInText(text);
    return `body: not JSON: ${fault === undefined ? '' : describeFault(fault)}`;
  }
  const problem = findProblem(value);
  if (problem !== undefined) return `body: ${problem}`;
  const exact = parseKeeping(text, true, transformer?.times);
  const all: readonly unknown[] = Array.isArray(exact) ? exact : [exact];
  if (all.length === 0) return 'body: must hold at least one record';
  const objects = all.filter(isObject);
  if (objects.length === all.length) return objects;
  return Array.isArray(exact)
    ? `record ${all.findIndex((one) => !isObject(one))}: must be an object`
    : 'body: must be an object or an array of objects';
}

/** With the digits of its integers, as they would be stored. */
function exactly(kept: Members): Members {
  const payload = parseExactly(restoreNumbers(JSON.stringify(kept)));
  return isObject(payload) ? payload : {};
}

/** The records that an object becomes; or why it is refused. */
function recordsOf(
  element: Members,
  transformer: Transformer | undefined,
  nowMs: number,
): { time: string; kept: () => Members }[] | string {
  if (transformer === undefined) {
    return [{ time: new Date(nowMs).toISOString(), kept: () => element }];
  }
  const parts = transformer.data(element);
  if (typeof parts === 'string') return parts;
  const [now, time] = [new Instant(), new Instant()];
  now.setMilliseconds(nowMs);
  const records: { time: string; kept: () => Members }[] = [];
  for (const part of parts) {
    const problem = transformer.readTime(part, element, now, time);
    if (problem !== undefined) return problem;
    records.push({ time: written(time), kept: () => transformer.filter(part) });
  }
  return records;
}

/** With as many digits as the time has, milliseconds at least. */
function written({ seconds, nanos }: Instant): string {
  const digits = String(nanos)
    .padStart(9, '0')
    .replace(/(?:000){1,2}$/, '');
  return new Date(seconds * 1_000).toISOString().replace('.000Z', `.${digits}Z`);
}
