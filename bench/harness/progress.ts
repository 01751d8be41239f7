/** Prints progress: the whole run takes a while. */
export function progress(done: string): void {
  process.stderr.write(`  ${new Date().toISOString().slice(11, 19)} ${done}\n`);
}
