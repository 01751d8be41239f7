import type { Tracing } from '../../../infra/runtime/observability/tracing.ts';
import type { Caller } from './call.ts';

/** Traces each try to deliver: where it went, and what came of it. Nothing of it goes to the receiver. */
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
      const answer = await caller.call(request);
      const { status } = answer;
      const isWell = status !== undefined && status < 300;
      traced?.end(
        !isWell,
        status === undefined
          ? { 'error.type': answer.why.kind }
          : { 'http.response.status_code': status },
      );
      return answer;
    },
    breakOff: () => caller.breakOff(),
  };
}

/** Of names and values in turn. */
function headerOf(headers: readonly string[], name: string): string {
  return headers[headers.indexOf(name) + 1] ?? '';
}
