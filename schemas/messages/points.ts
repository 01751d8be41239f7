/*
 * Points of InfluxDB as they are stored: each field is a SenML record, and the tags stand in its subtopic.
 */

/**
 * The version of InfluxDB that clients are told. It is the last of version 1, and the first that takes writes of version 2:
 * clients that look at it send what is taken here.
 */
export const influxVersion = '1.8.10';

/** The name of the record of a field. */
export function recordNameOf(measurement: string, field: string): string {
  return field === 'value' ? measurement : `${measurement}.${field}`;
}

/** The measurement and the field of a record's name; of one without a dot the kind of its value tells the field. */
export function pointNameOf(
  name: string,
  kindField: string,
): { measurement: string; field: string } {
  const dot = name.lastIndexOf('.');
  const isSplit = dot > 0 && dot < name.length - 1;
  return isSplit
    ? { measurement: name.slice(0, dot), field: name.slice(dot + 1) }
    : { measurement: name, field: kindField };
}

const reserved = /[.=*>/% \p{Cc}]/gu;

/** A key or a value of a tag as it stands in a subtopic's part `key=value`. */
export function encodeTag(text: string): string {
  return text.replace(reserved, (char) =>
    [...Buffer.from(char)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}
