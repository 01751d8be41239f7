/** All of it takes half an hour: tells what is done so far. */
export function progress(done: string): void {
  process.stderr.write(`  ${new Date().toISOString().slice(11, 19)} ${done}\n`);
}
