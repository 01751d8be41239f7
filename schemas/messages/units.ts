/**
 * Units of SenML (RFC 8428, RFC 8798) as people write them; those that are absent here are written so already. Numbers
 * without a dimension have none.
 */
const written: Readonly<Record<string, string>> = {
  '%EL': '%',
  '%RH': '% RH',
  '/': '',
  '1/min': '/min',
  '1/s': '/s',
  Cel: '°C',
  Ohm: 'Ω',
  'W/m2': 'W/m²',
  'beat/m': 'bpm',
  'cd/m2': 'cd/m²',
  count: '',
  deg: '°',
  degF: '°F',
  kOhm: 'kΩ',
  'kg/m3': 'kg/m³',
  lat: '° lat',
  lon: '° lon',
  'm/s2': 'm/s²',
  m2: 'm²',
  m3: 'm³',
  'm3/s': 'm³/s',
  'uS/cm': 'µS/cm',
  'ug/m3': 'µg/m³',
};

/** A unit as it stands after a number: `°C` for `Cel`. */
export const unitText = (unit: string): string =>
  Object.hasOwn(written, unit) ? (written[unit] ?? unit) : unit;
