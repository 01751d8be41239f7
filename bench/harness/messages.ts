import { Encoder } from 'cbor-x';
import { senmlLabels } from '../../ingest/codecs/senml/cbor-check.ts';
import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';

const encoder = new Encoder({ useRecords: false, mapsAsObjects: false, tagUint8Array: false });
const labels = new Map<string, number>(Object.entries(senmlLabels));

/** A pack in JSON, as the same one in CBOR (RFC 8428 §6). */
export function cborPack(json: string): Buffer {
  const list: object[] = JSON.parse(json);
  return encoder.encode(
    list.map(
      (record) =>
        new Map(Object.entries(record).map(([name, field]) => [labels.get(name) ?? name, field])),
    ),
  );
}

/** The profile for `jsonMessage`. */
export const jsonProfile: ProfileConfig = {
  content_type: 'application/json',
  transformer: {
    data_field: 'readings',
    data_filters: ['sensor', 'state.value', 'state.unit'],
    time_field: 'at',
    time_format: 'unix',
  },
};

/** A gateway's message with several readings; the transformer keeps a part of each. */
export function jsonMessage(
  random: () => number,
  publisher: number,
  records: number,
  second: number,
): string {
  return JSON.stringify({
    gateway: `gw-${publisher}`,
    firmware: '2.4.1',
    readings: Array.from({ length: records }, (_, at) => ({
      sensor: `sensor${at}`,
      at: second,
      state: { value: Math.round(random() * 10_000) / 100, unit: 'Cel', quality: 'good' },
      battery: 97,
    })),
  });
}
