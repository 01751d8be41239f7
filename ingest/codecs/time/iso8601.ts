/**
 * A date and time of ISO 8601: extended or basic, with `T` or a space, seconds and their fraction or not, and a zone or
 * not (`Z`, `+02`, `+0200`, `+02:00`).
 */
const isoForm =
  /^(\d{4})-?(\d\d)-?(\d\d)[Tt ](\d\d):?(\d\d)(?::?(\d\d)([.,]\d+)?)?([Zz]|[+-]\d\d(?::?\d\d)?)?$/;

/** Written as `2006-01-02T15:04:05`, with `Z07:00` after it where it has a zone; undefined for what is none. */
export function extendedIso(text: string): { text: string; hasZone: boolean } | undefined {
  const match = isoForm.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone = ''] = match;
  const clock = `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}`;
  return { text: clock + extendedZone(zone), hasZone: zone !== '' };
}

function extendedZone(zone: string): string {
  if (zone === '') return '';
  if (zone.toUpperCase() === 'Z') return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone.charAt(0)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
