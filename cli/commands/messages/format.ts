import type { MessageFormat } from '../../../schemas/client/live.ts';
import { UsageError } from '../../input/usage.ts';
import type { Call } from '../../invocation/call.ts';

export const formats: readonly MessageFormat[] = ['senml', 'json'];

/** The format that `--format` names; SenML without it. */
export function formatOf(call: Call): MessageFormat {
  return formatGiven(call) ?? 'senml';
}

/** The same; undefined without it. @throws UsageError */
export function formatGiven({ settings: { format } }: Call): MessageFormat | undefined {
  if (format === undefined || format === 'senml' || format === 'json') return format;
  throw new UsageError('--format is senml or json');
}
