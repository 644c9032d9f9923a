import { AsyncLocalStorage } from 'node:async_hooks'
import * as otel from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { connect, defineTopology } from '../../../packages/warrenmq/src/index.ts'
import type { LayoutChoice } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()
const { hostname, port } = new URL(broker.url)
const exporter = new InMemorySpanExporter()
let made = 0

/** What an application sets up once: contexts that follow promises, the headers of W3C, and where spans go. */
beforeAll(() => {
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
  otel.context.setGlobalContextManager(manager)
  otel.propagation.setGlobalPropagator(propagator)
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  otel.trace.setGlobalTracerProvider(provider)
})
beforeEach(() => exporter.reset())
afterAll(() => {
  otel.context.disable()
  otel.propagation.disable()
  otel.trace.disable()
})

const spansNamed = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name)
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId
const linksOf = (span: ReadableSpan | undefined) => span?.links.map(({ context }) => context.spanId)

async function setup(layout: LayoutChoice) {
  made += 1
  const name = `traced-${made}`
  const topology = defineTopology({ layout, queues: { [name]: { retry: { delays: [10], maxAttempts: 3 } } } })
  const managementUrl = 'http://127.0.0.1:1'
  const warren = await connect(broker.url, { topology, managementUrl, tracing: otel })
  onTestFinished(() => warren.close())
  await warren.apply()
  return { warren, name }
}

/** Consumes a queue as it is, whoever made it. */
async function consumePlainly(queue: string): Promise<void> {
  const topology = defineTopology({ queues: { [queue]: { deadLetter: false } } })
  const warren = await connect(broker.url, { topology, tracing: otel })
  onTestFinished(() => warren.close())
  await warren.consume(queue, () => undefined)
}

describe('tracing', () => {
  it('leads from the publish over each retry to the dead letter, one linked to the other', async () => {
    const { warren, name } = await setup('warren')
    await warren.consume(name, () => {
      throw new RangeError('no stock')
    })

    const result = await warren.publisher().publish({ key: name, body: 'x', correlationId: 'c1' })
    await eventually(() => expect(spansNamed(`process ${name}`)).toHaveLength(3))
    await consumePlainly(`${name}.dlq`)
    const [dead] = await eventually(() => {
      const spans = spansNamed(`process ${name}.dlq`)
      return spans.length > 0 && spans
    })

    const [send] = spansNamed(`publish ${name}`)
    const [first, second, third] = spansNamed(`process ${name}`)
    const traces = [send, first, second, third, dead].map((span) => span?.spanContext().traceId)
    expect(new Set(traces).size).toBe(1)
    expect([first, second, third].map((span) => span?.parentSpanContext?.spanId)).toEqual([
      idOf(send),
      idOf(send),
      idOf(send),
    ])
    expect(linksOf(first)).toEqual([idOf(send)])
    expect(linksOf(second)).toEqual([idOf(send), idOf(first)])
    expect(linksOf(third)).toEqual([idOf(send), idOf(second)])
    expect(linksOf(dead)).toEqual([idOf(send), idOf(third)])
    expect(send).toMatchObject({
      kind: otel.SpanKind.PRODUCER,
      attributes: {
        'messaging.system': 'rabbitmq',
        'messaging.operation.name': 'publish',
        'messaging.operation.type': 'send',
        'messaging.destination.name': name,
        'messaging.rabbitmq.destination.routing_key': name,
        'messaging.message.id': result.messageId,
        'server.address': hostname,
        'server.port': Number(port),
        'warren.result': 'confirmed',
      },
    })
    expect(first).toMatchObject({
      kind: otel.SpanKind.CONSUMER,
      status: { code: otel.SpanStatusCode.ERROR, message: 'no stock' },
      attributes: {
        'messaging.system': 'rabbitmq',
        'messaging.operation.name': 'process',
        'messaging.operation.type': 'process',
        'messaging.destination.name': name,
        'messaging.destination.subscription.name': name,
        'messaging.rabbitmq.message.delivery_tag': 1,
        'server.address': hostname,
        'server.port': Number(port),
        'error.type': 'RangeError',
        'warren.attempt': 1,
        'warren.outcome': 'retry',
        'messaging.message.conversation_id': 'c1',
      },
      events: [{ name: 'exception', attributes: { 'exception.type': 'RangeError' } }],
    })
    expect(third).toMatchObject({
      attributes: { 'warren.outcome': 'dead-letter', 'warren.reason': 'attempts-exhausted' },
    })
  })

  it('continues the trace in what the handler does, and begins it in what surrounds the publish', async () => {
    const { warren, name } = await setup('warren')
    const tracer = otel.trace.getTracer('test')
    await warren.consume(name, async () => {
      await Promise.resolve()
      tracer.startSpan('query').end()
    })

    await tracer.startActiveSpan('request', async (span) => {
      await warren.publisher().publish({ key: name, body: 'x' })
      span.end()
    })
    await eventually(() => expect(spansNamed(`process ${name}`)).toHaveLength(1))

    const [request] = spansNamed('request')
    const [send] = spansNamed(`publish ${name}`)
    const [handled] = spansNamed(`process ${name}`)
    const [query] = spansNamed('query')
    expect(send?.parentSpanContext?.spanId).toBe(idOf(request))
    expect(query?.parentSpanContext?.spanId).toBe(idOf(handled))
    expect(query?.spanContext().traceId).toBe(request?.spanContext().traceId)
    expect(handled?.attributes).toMatchObject({ 'warren.outcome': 'acknowledge' })
  })

  it('links attempts of a reject loop to the publish, and the dead letter to the last attempt', async () => {
    const { warren, name } = await setup('isolated')
    await warren.consume(name, () => {
      throw new Error('no')
    })

    await warren.publisher().publish({ key: name, body: 'x' })
    await eventually(() => expect(spansNamed(`process ${name}`)).toHaveLength(3))
    const { deadLetterQueue } = (await warren.plan()).wanted.flows[0]!
    await consumePlainly(deadLetterQueue!)
    const [dead] = await eventually(() => {
      const spans = spansNamed(`process ${deadLetterQueue}`)
      return spans.length > 0 && spans
    })

    const [send] = spansNamed(`publish ${name}`)
    const attempts = spansNamed(`process ${name}`)
    for (const attempt of attempts) expect(linksOf(attempt)).toEqual([idOf(send)])
    expect(linksOf(dead)).toEqual([idOf(send), idOf(attempts.at(-1))])
  })

  it('says of a publish that reached no queue that it failed', async () => {
    const { warren } = await setup('warren')

    await warren.publisher().publish({ key: 'nobody', body: 'x' })

    expect(spansNamed('publish nobody')).toMatchObject([
      { status: { code: otel.SpanStatusCode.ERROR, message: 'returned' } },
    ])
  })
})
