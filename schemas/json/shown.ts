const shownCharsMax = 64;

/** A client's own text, shortened and quoted to be shown in an answer. */
export function shown(text: string): string {
  const short = text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
  return JSON.stringify(short.toWellFormed());
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
