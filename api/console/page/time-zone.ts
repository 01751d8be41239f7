/** The page keeps it, as it keeps the theme. */
const name = 'millrace-time-zone';

export const browserTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function isTimeZone(zone: string): boolean {
  if (zone === '') return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }));
  } catch {
    return false;
  }
}

/** The zone that one chose for this browser; undefined: the browser's own. */
export const chosenTimeZone = readChosen();

function readChosen(): string | undefined {
  // Tests of what needs no browser have none.
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(name);
  return kept !== null && isTimeZone(kept) ? kept : undefined;
}

/** The zone in which all times are shown and typed. */
export const ownTimeZone = chosenTimeZone ?? browserTimeZone;

/** Chooses another one; undefined: the browser's own. All that shows times is drawn anew. */
export function setTimeZone(zone: string | undefined): void {
  if (zone === undefined) localStorage.removeItem(name);
  else localStorage.setItem(name, zone);
  location.reload();
}
