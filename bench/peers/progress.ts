/** All of it takes half an hour: says what is behind. */
export function progress(done: string): void {
  process.stderr.write(`  ${new Date().toISOString().slice(11, 19)} ${done}\n`);
}
