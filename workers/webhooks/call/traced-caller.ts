import type { Tracing } from '../../../infra/runtime/observability/tracing.ts';
import type { Caller } from './call.ts';

/** Traces each call: where it went, and its result. The receiver gets nothing of the trace. */
export function traceCalls(caller: Caller, tracing: Tracing | undefined): Caller {
  if (tracing === undefined) return caller;
  return {
    async call(request) {
      const { host } = new URL(request.origin);
      const traced = tracing.begin('webhook delivery', 'client', {
        'http.request.method': 'POST',
        'server.address': host,
        'millrace.webhook_message_id': headerOf(request.headers, 'webhook-id'),
      });
      const result = await caller.call(request);
      if (result.kind === 'failure') traced?.end(true, { 'error.type': result.failure.kind });
      else traced?.end(result.status >= 300, { 'http.response.status_code': result.status });
      return result;
    },
    breakOff: () => caller.breakOff(),
  };
}

/** Of names and values in turn. */
function headerOf(headers: readonly string[], name: string): string {
  return headers[headers.indexOf(name) + 1] ?? '';
}
