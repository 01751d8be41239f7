/**
 * Whether an SMTP server refused this very mail for good: its receiver, or what it holds. A refused login
 * or sender is about us, and may be mended before the tries end.
 */
export function isRefusedForGood(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const permanent: unknown = Reflect.get(error, 'permanent');
  const command: unknown = Reflect.get(error, 'command');
  return permanent === true && (command === 'RCPT TO' || command === 'DATA');
}
