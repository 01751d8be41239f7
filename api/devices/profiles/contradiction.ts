import { DomainError } from '../../../schemas/http/errors.ts';
import type { ProfileConfig } from '../../../schemas/resources/profile-config.ts';

/** Tags that line protocol gives another meaning. */
const takenTags: readonly string[] = ['unit', 'subtopic', 'group'];

/**
 * Members of a profile's config that make no sense together.
 *
 * @throws DomainError `malformed` with the member, after `place`: `config`, or `0.config` of a list.
 */
export function mustAgree(config: ProfileConfig | null | undefined, place: string): void {
  const why = config?.gateway === undefined ? undefined : contradictionIn(config.gateway, config);
  if (why !== undefined) throw new DomainError('malformed', `${place}.gateway.${why}`);
}

function contradictionIn(
  gateway: NonNullable<ProfileConfig['gateway']>,
  { content_type: type = '' }: ProfileConfig,
): string | undefined {
  const { device_tag: tag, device_level: level, device_path: path } = gateway;
  if (level !== undefined && path !== undefined) {
    return 'device_path: a message names its device in one place, and there is device_level';
  }
  if (tag !== undefined && takenTags.includes(tag)) {
    return `device_tag: must not be ${tag}, which has a meaning of its own`;
  }
  if (path !== undefined && type.toLowerCase().startsWith('application/senml')) {
    return `device_path: is of JSON, and content_type is ${type}`;
  }
  const isNamed = (tag ?? level ?? path) !== undefined;
  if (!isNamed && gateway.create_things === true) {
    return 'create_things: needs device_tag, device_level or device_path';
  }
  return !isNamed && gateway.key_prefix !== undefined
    ? 'key_prefix: needs device_tag, device_level or device_path'
    : undefined;
}
