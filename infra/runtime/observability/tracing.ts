import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attributes, Context, Span, SpanStatus } from '@opentelemetry/api';
import { type Static, Type } from 'typebox';
import packageJson from '../../../package.json' with { type: 'json' };

export type { Attributes } from '@opentelemetry/api';

/** How long spans wait to be sent together. */
const sendMs = 1_000;
/** The time that a stop waits for a collector: without its answer the library would wait longer than a process may. */
const stopMsMax = 500;

/** OpenTelemetry's library reads its other settings (headers, attributes) by itself. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(Type.String({ pattern: '^https?://' })),
  /** The share of traces that begin here and are sampled. */
  OTEL_TRACES_SAMPLER_ARG: Type.Number({ minimum: 0, maximum: 1, default: 0.01 }),
};

/** Settings with which a process, or a thread of it, starts tracing. */
export type TracingConfig = { serviceName: string; version: string; sampled: number };

/** Undefined where no endpoint is set: nothing is traced. */
export function readTracing(
  serviceName: string,
  settings: Static<ReturnType<typeof Type.Object<typeof tracingSettings>>>,
): TracingConfig | undefined {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  return { serviceName, version: packageJson.version, sampled: settings.OTEL_TRACES_SAMPLER_ARG };
}

/** `server`: a request to us. `client`: a request by us. `internal`: neither. */
type TraceKind = 'internal' | 'server' | 'client';

export type Tracing = {
  /**
   * Begins a trace, or goes on with the one that a `traceparent` (W3C) names, which says itself whether it is
   * sampled. Undefined where it is not.
   */
  begin(
    name: string,
    kind: TraceKind,
    attributes: Attributes,
    traceparent?: string,
  ): Traced | undefined;
  /** Sends the spans that wait, if the collector takes them at once. */
  stop(): Promise<void>;
};

/** Loads OpenTelemetry only where something is traced: it takes a tenth of a second, and memory. */
export async function startTracing(
  config: TracingConfig | undefined,
): Promise<Tracing | undefined> {
  if (config === undefined) return undefined;
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const { serviceName, version, sampled } = config;
  const own = resources.resourceFromAttributes({
    'service.name': serviceName,
    'service.version': version,
  });
  const given = resources.detectResources({ detectors: [resources.envDetector] });
  const provider = new sdk.TracerProvider({
    resource: own.merge(given),
    // Spans that are not sampled do not get here.
    sampler: new sdk.AlwaysOnSampler(),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        scheduledDelayMillis: sendMs,
      }),
    ],
  });
  const tracer = provider.getTracer('millrace', version);
  const kinds = {
    internal: api.SpanKind.INTERNAL,
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
  };
  function start(name: string, kind: TraceKind, attributes: Attributes, parent: Context): Traced {
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent);
    const within = api.trace.setSpan(parent, span);
    return new Traced(span, { code: api.SpanStatusCode.ERROR }, (...child) =>
      start(...child, within),
    );
  }
  return {
    begin(name, kind, attributes, traceparent = '') {
      const caller = readTraceparent(traceparent);
      if (caller === undefined) {
        if (Math.random() >= sampled) return undefined;
        return start(name, kind, attributes, api.ROOT_CONTEXT);
      }
      if (caller.traceFlags === 0) return undefined;
      return start(name, kind, attributes, api.trace.setSpanContext(api.ROOT_CONTEXT, caller));
    },
    stop: () =>
      Promise.race([
        provider.shutdown().catch(() => undefined),
        delay(stopMsMax, undefined, { ref: false }),
      ]),
  };
}

const active = new AsyncLocalStorage<Traced>();

/** The current span, if there is one. */
export const activeTraced = (): Traced | undefined => active.getStore();

/** A span: a piece of work with its beginning and its end. */
export class Traced {
  readonly #span: Span;
  readonly #failure: SpanStatus;
  readonly #child: (name: string, kind: TraceKind, attributes: Attributes) => Traced;

  constructor(
    span: Span,
    failure: SpanStatus,
    child: (name: string, kind: TraceKind, attributes: Attributes) => Traced,
  ) {
    this.#span = span;
    this.#failure = failure;
    this.#child = child;
  }

  child(name: string, kind: TraceKind, attributes: Attributes = {}): Traced {
    return this.#child(name, kind, attributes);
  }

  /** Everything that `work` causes, even later, belongs to it. */
  run<Result>(work: () => Result): Result {
    return active.run(this, work);
  }

  /** The `traceparent` for the next process. */
  traceparent(): string {
    const { traceId, spanId } = this.#span.spanContext();
    return `00-${traceId}-${spanId}-01`;
  }

  end(hasFailed = false, attributes: Attributes = {}): void {
    this.#span.setAttributes(attributes);
    if (hasFailed) this.#span.setStatus(this.#failure);
    this.#span.end();
  }
}

const traceparentPattern = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})/;

function readTraceparent(text: string) {
  const [, traceId, spanId, flags] = traceparentPattern.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
