import { AsyncLocalStorage } from 'node:async_hooks'
import { Injectable, Logger, type LoggerService, UseInterceptors } from '@nestjs/common'
import { HealthCheckService, TerminusModule } from '@nestjs/terminus'
import * as otel from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { Consume, WarrenHealth, WarrenModule, WarrenPublisher } from '@warrenmq/nestjs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ConsumedMessage, defineTopology } from 'warrenmq'
import { eventually } from '../../../test/support/eventually.ts'
import { openApp } from './open-app.ts'

const topology = defineTopology({ queues: { orders: { retry: { delays: ['5m'], maxAttempts: 2 } } } })
const url = 'amqp://nobody-is-there'

describe('the health of an application', () => {
  it('is an indicator of @nestjs/terminus, which is down while the broker takes no publishes', async () => {
    const { app, broker, publisher } = await openApp({
      imports: [WarrenModule.forRoot({ url, topology }), TerminusModule],
    })
    const health = app.get(WarrenHealth)
    const check = () => app.get(HealthCheckService).check([() => health.isHealthy('rabbitmq')])

    expect(await check()).toMatchObject({
      status: 'ok',
      info: { rabbitmq: { status: 'up', consuming: { state: 'connected' } } },
    })
    broker.faults.block('low on memory')
    void publisher.publish({ key: 'orders', body: 1 })

    await eventually(() => expect(health.isHealthy('rabbitmq').rabbitmq.status).toBe('down'))
    await expect(check()).rejects.toMatchObject({
      status: 503,
      response: {
        status: 'error',
        error: { rabbitmq: { status: 'down', publishing: { alarms: ['memory'] } } },
      },
    })
    broker.faults.unblock()
    await eventually(() => expect(health.isHealthy('rabbitmq').rabbitmq.status).toBe('up'))
  })
})

describe('the log of an application', () => {
  it('is written by its logger: connections as Warren, consumers by their methods', async () => {
    @Injectable()
    class Billing {
      @Consume('orders')
      charge() {
        throw Object.assign(new Error('no such customer'), { isPermanent: true })
      }
    }
    const { broker, publisher } = await openApp({
      imports: [WarrenModule.forRoot({ url, topology, backoff: { initial: 1, max: 1 } })],
      providers: [Billing],
    })
    const lines: string[] = []
    const write =
      (level: string) =>
      (text: unknown, ...rest: unknown[]): void => {
        lines.push(`${level} ${String(rest.at(-1))}: ${String(text)}`)
      }
    const logger: LoggerService = { log: write('log'), warn: write('warn'), error: write('error') }
    Logger.overrideLogger(logger)
    onTestFinished(() => Logger.overrideLogger(false))

    await publisher.publish({ key: 'orders', body: 1 })
    await broker.settled()
    await broker.faults.crash()
    await broker.faults.restart()

    const line = (text: string) => expect.stringContaining(text)
    await eventually(() =>
      expect(lines).toEqual(
        expect.arrayContaining([
          line('error Billing.charge(): Moved to the dead-letter queue: permanent-error.'),
          line('warn Warren: The connection is lost'),
          line('log Warren: Connected. {"endpoint":'),
        ]),
      ),
    )
  })
})

describe('the spans of an application', () => {
  /** What an application sets up once: contexts that follow promises, the header of W3C, and where spans go. */
  function collectSpans(): InMemorySpanExporter {
    const storage = new AsyncLocalStorage<otel.Context>()
    const manager: otel.ContextManager = {
      active: () => storage.getStore() ?? otel.ROOT_CONTEXT,
      with: (context, task, self, ...args) => storage.run(context, () => task.apply(self, args)),
      bind: (_, target) => target,
      enable: () => manager,
      disable: () => manager,
    }
    const propagator: otel.TextMapPropagator = {
      fields: () => ['traceparent'],
      inject: (context, carrier, setter) => {
        const span = otel.trace.getSpanContext(context)
        if (span) setter.set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-01`)
      },
      extract: (context, carrier, getter) => {
        const [, traceId, spanId] = String(getter.get(carrier, 'traceparent') ?? '').split('-')
        if (!traceId || !spanId) return context
        return otel.trace.setSpanContext(context, { traceId, spanId, traceFlags: 1, isRemote: true })
      },
    }
    const exporter = new InMemorySpanExporter()
    otel.context.setGlobalContextManager(manager)
    otel.propagation.setGlobalPropagator(propagator)
    otel.trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
    )
    onTestFinished(() => {
      otel.context.disable()
      otel.propagation.disable()
      otel.trace.disable()
    })
    return exporter
  }

  it('lead from a publish to the method, and on to what it publishes within its interceptors', async () => {
    const exporter = collectSpans()
    const two = defineTopology({ queues: { orders: { retry: false }, invoices: { retry: false } } })
    class Around {
      intercept(_: unknown, next: { handle(): import('rxjs').Observable<unknown> }) {
        otel.trace.getTracer('test').startSpan('intercepted').end()
        return next.handle()
      }
    }
    @Injectable()
    class Billing {
      constructor(private readonly publisher: WarrenPublisher) {}
      @Consume('orders')
      @UseInterceptors(Around)
      async charge({ body }: ConsumedMessage) {
        await this.publisher.publish({ key: 'invoices', body })
      }
    }
    const { broker, publisher } = await openApp({
      imports: [WarrenModule.forRoot({ url, topology: two, tracing: otel })],
      providers: [Billing],
    })

    await publisher.publish({ key: 'orders', body: 1 })
    await broker.settled()

    const spans = exporter.getFinishedSpans()
    const named = (name: string) => spans.find((span) => span.name === name) as ReadableSpan
    const parentOf = (name: string) => named(name).parentSpanContext?.spanId
    const idOf = (name: string) => named(name).spanContext().spanId
    expect(named('process orders').links.map(({ context }) => context.spanId)).toEqual([
      idOf('publish orders'),
    ])
    expect(parentOf('process orders')).toBe(idOf('publish orders'))
    expect(parentOf('intercepted')).toBe(idOf('process orders'))
    expect(parentOf('publish invoices')).toBe(idOf('process orders'))
  })
})
