/**
 * The part of `@opentelemetry/api` that Warren uses; pass the module itself. It is described here and not imported,
 * so that nobody installs it who does not trace.
 */
export interface TracingApi {
  readonly context: {
    active(): unknown
    with<Result>(context: never, task: () => Result): Result
  }
  readonly propagation: {
    extract(context: never, carrier: Record<string, string>): unknown
    inject(context: never, carrier: Record<string, string>): void
  }
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: SpanOptions, context?: never): TracingSpan
    }
    setSpan(context: never, span: never): unknown
    getSpanContext(context: never): unknown
  }
}

export interface SpanOptions {
  /** Producer or consumer, as OpenTelemetry numbers them. */
  readonly kind: number
  /** What the span says of itself. */
  readonly attributes: Record<string, string | number>
  /** Spans that it follows from. */
  readonly links?: { readonly context: never }[]
}

export interface TracingSpan {
  setAttribute(name: string, value: string | number): unknown
  recordException(error: Error): void
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  end(): void
}

/** The numbers that OpenTelemetry gives to kinds and states of spans. */
export const spanKinds = { producer: 3, consumer: 4 } as const
export const spanError = 2

/**
 * `messaging.destination.name` as OpenTelemetry wants it for RabbitMQ: `exchange:key`, for a consumer `exchange:key:queue`,
 * without what is empty, and once where key and queue are the same.
 */
export function destinationName(exchange: string, key: string, queue = ''): string {
  const parts = [exchange, key, ...(queue === key ? [] : [queue])].filter((part) => part !== '')
  return parts.length === 0 ? 'amq.default' : parts.join(':')
}
