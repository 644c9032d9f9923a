import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ConsumerOptions } from '../../../packages/warrenmq/src/consumer/consumer-options.ts'
import type { HttpHandlerOptions } from '../../../packages/warrenmq/src/consumer/http/http-handler.ts'
import { httpHandler, signBody } from '../../../packages/warrenmq/src/consumer/http/http-handler.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { collect, createConsumerRig } from './consumer-rig.ts'

const broker = await useBroker()
let made = 0

interface Request {
  readonly method: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}
type Reply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'never'

/** An endpoint that answers with the replies in turn, and a consumer that delivers to it. */
async function setup(
  replies: readonly Reply[],
  http: Partial<HttpHandlerOptions> = {},
  options: ConsumerOptions = {},
  { login = '', delays = [10, 60] as readonly number[] } = {},
) {
  made += 1
  const queue = `push-${made}`
  const requests: Request[] = []
  let connections = 0
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const reply = replies[Math.min(requests.length, replies.length - 1)]!
      requests.push({ method: request.method, headers: request.headers, body: Buffer.concat(pieces) })
      if (reply !== 'never') response.writeHead(reply.status, reply.headers).end(reply.body)
    })
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://${login}127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const declaration = { queues: { [queue]: { retry: { delays, maxAttempts: 4 } } } }
  const rig = await createConsumerRig({ url: broker.url, declaration })
  const consumer = await rig.consume(queue, httpHandler({ url, ...http }), options)
  const settled = collect(consumer, 'delivery.settled')
  return { ...rig, url, queue, dlq: `${queue}.dlq`, requests, settled, connections: () => connections }
}

describe('an endpoint', () => {
  it('gets the body as it is, with who and what in its headers', async () => {
    const { publisher, queue, requests, settled } = await setup([{ status: 204 }])
    const body = Buffer.from([0, 1, 2, 255])

    await publisher.publish({
      key: queue,
      body,
      messageId: 'm1',
      correlationId: 'c1',
      type: 'Größe',
      contentType: 'application/x-thing',
    })

    await eventually(() => expect(settled).toHaveLength(1))
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/x-thing',
        'warren-queue': queue,
        'warren-routing-key': queue,
        'warren-attempt': '1',
        'warren-message-id': 'm1',
        'warren-correlation-id': 'c1',
        'warren-message-type': 'Gr%C3%B6%C3%9Fe',
      },
    })
    expect(settled[0]?.outcome).toEqual({ kind: 'acknowledge' })
  })

  it('can tell by the signature that a request is ours', async () => {
    const { publisher, queue, requests } = await setup([{ status: 200 }], { secret: 'hush' })

    await publisher.publish({ key: queue, body: 'pay' })

    const { headers, body } = await eventually(() => requests[0] ?? false)
    const timestamp = headers['warren-timestamp'] as string
    expect(headers['warren-signature']).toBe(`sha256=${signBody({ body, timestamp, secret: 'hush' })}`)
  })

  it('that is down for a while gets the message again, with the attempt counted', async () => {
    const { publisher, queue, requests, settled } = await setup([
      { status: 500 },
      { status: 503 },
      { status: 200 },
    ])

    await publisher.publish({ key: queue, body: 'x' })

    await eventually(() => expect(settled.at(-1)?.outcome.kind).toBe('acknowledge'))
    expect(requests.map(({ headers }) => headers['warren-attempt'])).toEqual(['1', '2', '3'])
  })

  it('that asks for time by Retry-After gets the delay not below it', async () => {
    const busy = { status: 429, headers: { 'retry-after': '1' } }
    const delays = [10, 1_500, 60_000]
    const { publisher, queue, settled, depth } = await setup([busy], {}, {}, { delays })

    await publisher.publish({ key: queue, body: 'x' })

    await eventually(() => expect(settled).toHaveLength(1))
    expect(settled[0]?.outcome).toMatchObject({ kind: 'retry', delay: { delayMs: 1_500 } })
    expect(await depth(queue)).toBe(0)
  })

  it('that asks for more time than the longest delay gets the longest', async () => {
    const busy = { status: 503, headers: { 'retry-after': '3600' } }
    const { publisher, queue, requests, settled } = await setup([busy, { status: 200 }])

    await publisher.publish({ key: queue, body: 'x' })

    await eventually(() => expect(settled.at(-1)?.outcome.kind).toBe('acknowledge'))
    expect(settled[0]?.outcome).toMatchObject({ kind: 'retry', delay: { delayMs: 60 } })
    expect(requests).toHaveLength(2)
  })

  it('that says 425 gets the message again without an attempt counted', async () => {
    const early = { status: 425, headers: { 'retry-after': '0' } }
    const { publisher, queue, requests, settled } = await setup([early, early, { status: 200 }])

    await publisher.publish({ key: queue, body: 'x' })

    await eventually(() => expect(settled).toHaveLength(1))
    expect(requests.map(({ headers }) => headers['warren-attempt'])).toEqual(['1', '1', '1'])
  })

  it.each([
    ['by default a 400 is parked at once', {}, 1],
    ['on the event bus a 400 is retried to the limit', { statusTable: 'event-bus' }, 4],
  ] as const)('%s', async (_, options, attempts) => {
    const refusal = { status: 400, body: 'amount is missing' }
    const { publisher, queue, requests, dlq, drain, depth } = await setup([refusal], {}, options)

    await publisher.publish({ key: queue, body: 'x' })

    await eventually(async () => expect(await depth(dlq)).toBe(1))
    expect(requests).toHaveLength(attempts)
    expect(await drain(dlq)).toMatchObject([
      {
        headers: {
          'x-final-status-code': 400,
          'x-final-error': 'amount is missing',
          'x-final-retry-count': attempts - 1,
        },
      },
    ])
  })

  it('that does not answer in time, or is not there, is tried again', async () => {
    const { publisher, queue, settled } = await setup(['never', { status: 200 }], { timeout: 500 })

    await publisher.publish({ key: queue, body: 'x' })

    await eventually(() => expect(settled.at(-1)?.outcome.kind).toBe('acknowledge'))
    expect(settled[0]?.outcome).toMatchObject({
      kind: 'retry',
      failure: {
        errorCode: 'HTTP_DELIVERY_FAILED',
        errorMessage: expect.stringContaining('no answer within 500 ms'),
      },
    })
  })

  it('that does not answer is given up in time although the garbage collector runs meanwhile', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    const { publisher, queue, requests, settled } = await setup(['never', { status: 200 }], { timeout: 200 })

    await publisher.publish({ key: queue, body: 'x' })
    await eventually(() => expect(requests).not.toHaveLength(0))
    await eventually(() => {
      collectGarbage()
      expect(settled).not.toHaveLength(0)
    })

    expect(settled[0]?.outcome.kind).toBe('retry')
    await eventually(() => expect(settled.at(-1)?.outcome.kind).toBe('acknowledge'))
  })

  it('is reached by connections that are kept, whatever it answers', async () => {
    const answers = [
      { status: 200, body: 'fine' },
      { status: 404, body: 'x'.repeat(20_000) },
      { status: 204 },
    ]
    const replies = Array.from({ length: 30 }, (_, index) => answers[index % answers.length]!)
    const { publisher, queue, settled, connections } = await setup(replies, {}, { concurrency: 3 })

    await Promise.all(replies.map((_, index) => publisher.publish({ key: queue, body: `${index}` })))

    await eventually(() => expect(settled).toHaveLength(30))
    // One that was just used may not be free yet when the next request begins.
    expect(connections()).toBeLessThanOrEqual(2 * 3)
  })

  it('with a login in its URL gets it as basic authentication', async () => {
    const { publisher, queue, requests, url } = await setup(
      [{ status: 200 }],
      {},
      {},
      { login: 'me:s%20cret@' },
    )

    await publisher.publish({ key: queue, body: 'x' })

    const { headers } = await eventually(() => requests[0] ?? false)
    expect(headers.authorization).toBe(`Basic ${Buffer.from('me:s cret').toString('base64')}`)
    expect(url).toContain('me:s%20cret@')
  })
})

it.each([
  ['by GET, which carries no body', { url: 'http://x', method: 'get' }, 'has no body'],
  ['to another protocol', { url: 'ftp://x' }, 'http:// or https://'],
  ['to nowhere', { url: 'nowhere' }, 'http:// or https://'],
])('a delivery %s is refused before a message is taken', (_, options, message) => {
  expect(() => httpHandler(options)).toThrow(message)
})
