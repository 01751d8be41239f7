import type { Traced, Tracing } from '../../../infra/runtime/observability/tracing.ts';

/** A message that is traced, from its head to its answer; its way into the log is a span of its own. */
export class TracedMessage {
  readonly #request: Traced;
  #append: Traced | undefined;

  private constructor(request: Traced) {
    this.#request = request;
  }

  /** Undefined if it is not sampled. */
  static begin(tracing: Tracing, route: string, traceparent: string): TracedMessage | undefined {
    const attributes = { 'http.request.method': 'POST', 'http.route': route };
    const request = tracing.begin(`POST ${route}`, 'server', attributes, traceparent);
    return request === undefined ? undefined : new TracedMessage(request);
  }

  /** It is part of the next commit. */
  appended(): void {
    this.#append = this.#request.child('log append', 'internal');
  }

  /** `status` 0: its client has gone. */
  answered(status: number): void {
    const hasFailed = status === 0 || status >= 500;
    this.#append?.end(hasFailed);
    this.#request.end(hasFailed, status === 0 ? {} : { 'http.response.status_code': status });
  }
}
