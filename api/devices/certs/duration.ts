const secondsOfUnit: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3_600,
};

/**
 * The seconds of a duration as Go writes it (`8760h`, `1h30m`, `1.5h`). A number alone means hours. Undefined if the
 * text is none of these.
 */
export function parseDuration(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 3_600;
  if (!/^(?:\d+(?:\.\d*)?(?:ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, count = '', unit = ''] of text.matchAll(/([\d.]+)([^\d.]+)/g)) {
    seconds += Number(count) * (secondsOfUnit[unit] ?? 0);
  }
  return seconds;
}
