/** Prints what a part of the programme came to: for people, and as one line of JSON. */
export function report(part: string, facts: Record<string, unknown>): void {
  const lines = Object.entries(facts).map(
    ([name, value]) => `  ${name.padEnd(22)} ${JSON.stringify(value)}`,
  );
  process.stdout.write(`${part}\n${lines.join('\n')}\n${JSON.stringify({ part, ...facts })}\n`);
}
