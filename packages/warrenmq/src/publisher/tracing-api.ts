/**
 * The part of `@opentelemetry/api` that Warren uses; pass the module itself. It is described here and not imported, so
 * you need to install it only if you trace.
 */
export interface TracingApi {
  /** The current context, and how to run a task in another. */
  readonly context: {
    active(): unknown
    with<Result>(context: never, task: () => Result): Result
  }
  /** Reads a context from headers and writes one into them. */
  readonly propagation: {
    extract(context: never, carrier: Record<string, string>): unknown
    inject(context: never, carrier: Record<string, string>): void
  }
  /** Makes spans. */
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: SpanOptions, context?: never): TracingSpan
    }
    setSpan(context: never, span: never): unknown
    getSpanContext(context: never): unknown
  }
}

/** What a span starts with. */
export interface SpanOptions {
  /** Producer or consumer, as OpenTelemetry numbers them. */
  readonly kind: number
  /** What the span says of itself. */
  readonly attributes: Record<string, string | number>
  /** Spans that it follows from. */
  readonly links?: { readonly context: never }[]
}

/** One span: a publish, or an attempt to handle a message. */
export interface TracingSpan {
  /** Adds a fact to the span. */
  setAttribute(name: string, value: string | number): unknown
  /** Adds an error to the span. */
  recordException(error: Error): void
  /** Says whether it went well. */
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  /** Ends the span. */
  end(): void
}

/** The numbers that OpenTelemetry gives to kinds and states of spans. */
export const spanKinds = { producer: 3, consumer: 4 } as const
export const spanError = 2

/** The host that a span's message goes to or comes from, as long as there is a connection to one. */
export function serverAttributes(
  endpoint: { readonly host: string; readonly port: number } | undefined,
): Record<string, string | number> {
  return endpoint ? { 'server.address': endpoint.host, 'server.port': endpoint.port } : {}
}

/**
 * `messaging.destination.name` as OpenTelemetry wants it for RabbitMQ: `exchange:key`, for a consumer `exchange:key:queue`,
 * without what is empty, and once where key and queue are the same.
 */
export function destinationName(exchange: string, key: string, queue = ''): string {
  const parts = [exchange, key, ...(queue === key ? [] : [queue])].filter((part) => part !== '')
  return parts.length === 0 ? 'amq.default' : parts.join(':')
}
