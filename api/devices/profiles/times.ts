import { DomainError } from '../../../schemas/http/errors.ts';
import { isObject } from '../../../schemas/json/shown.ts';
import type { ProfileConfig } from '../../../schemas/resources/profile-config.ts';
import { TimeReader } from '../../../schemas/transform/time-layouts.ts';

type Transformer = NonNullable<ProfileConfig['transformer']>;

/** The members by which an edge reads times, whether it could use one, and the words where not. */
const members = [
  {
    name: 'time_format',
    isUsable: ({ time_format: format }: Transformer) => new TimeReader(format).isUsable,
    why: 'is no known format, and no layout that names a day',
  },
  {
    name: 'time_location',
    isUsable: ({ time_location: zone }: Transformer) => new TimeReader('', zone).isUsable,
    why: 'is no known time zone: those of IANA are, such as Europe/Berlin',
  },
] as const;

/**
 * Refuses times that no edge could read, whatever a message has. A profile that has such a value already may keep it: it can
 * be renamed, and sent back as it was read.
 *
 * @throws DomainError `malformed` with the member, after `place`: `config`, or `0.config` of a list.
 */
export async function mustReadTimes(
  config: ProfileConfig | null | undefined,
  place: string,
  readStored?: () => Promise<Readonly<Record<string, unknown>> | undefined>,
): Promise<void> {
  const { transformer = {} } = config ?? {};
  const unusable = members.filter(({ isUsable }) => !isUsable(transformer));
  if (unusable.length === 0) return;
  const stored = (await readStored?.())?.['transformer'];
  const kept = isObject(stored) ? stored : {};
  const wrong = unusable.find(({ name }) => kept[name] !== transformer[name]);
  if (wrong !== undefined) {
    throw new DomainError('malformed', `${place}.transformer.${wrong.name} ${wrong.why}`);
  }
}
