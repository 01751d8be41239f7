/** Gives something to the browser as a file, which asks no server. */
export function saveFile(name: string, type: string, parts: readonly (string | Blob)[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun with it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
