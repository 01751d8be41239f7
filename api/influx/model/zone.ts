import { LRUCache } from 'lru-cache';
import { ZoneOffsets } from '../../../schemas/zone-offset.ts';
import { limits } from '../../limits.ts';

/** Names of zones come from clients, in any case. */
const zones = new LRUCache<string, ZoneOffsets>({ max: limits.zonesKeptMax });

/**
 * The offset of a zone from UTC at a time, in nanoseconds, both as the time is.
 *
 * @throws RangeError if there is no such zone
 */
export function offsetAt(zone: string, time: bigint): bigint {
  const offsets = zones.get(zone) ?? new ZoneOffsets(zone);
  zones.set(zone, offsets);
  return BigInt(offsets.at(Math.floor(Number(time / 1_000_000_000n)))) * 1_000_000_000n;
}
