/**
 * A message that a rule is about has this before its row, or its rows in line protocol, which are as the store gets them:
 *
 * | offset | type     | what                                     |
 * |--------|----------|------------------------------------------|
 * | 0      | f64      | time of receipt, milliseconds            |
 * | 8      | 16 bytes | group of the thing, as a UUID is written |
 * | 24     | 16 bytes | its profile                              |
 * | 40     | u8       | 1 SenML, 2 JSON                          |
 */
export const alarmHeadLayout = { receivedMs: 0, group: 8, profile: 24, format: 40 } as const;

export const alarmHeadBytes = 41;

/** `place`: the ids of the thing's group and profile, by which the sink knows its rules. `atMs`: the time of receipt. */
export type AlarmHead = { place: Uint8Array; atMs: number };

const formats = { senml: 1, json: 2 } as const;

/** `target` must have room for `alarmHeadBytes` from `offset` on. Returns the offset after the head. */
export function writeAlarmHead(
  { place, atMs }: AlarmHead,
  format: keyof typeof formats,
  target: Buffer,
  offset: number,
): number {
  target.writeDoubleLE(atMs, offset);
  target.set(place, offset + alarmHeadLayout.group);
  target[offset + alarmHeadLayout.format] = formats[format];
  return offset + alarmHeadBytes;
}
