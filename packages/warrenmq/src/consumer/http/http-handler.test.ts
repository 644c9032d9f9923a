import { expect, it } from 'vitest'
import type { HandlerContext } from '../handler.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'
import { type HttpHandlerOptions, httpHandler } from './http-handler.ts'

const message = {
  rawBody: Buffer.from('{}'),
  headers: {},
  contentType: 'text/plain',
  exchange: '',
  routingKey: 'work',
} as unknown as ConsumedMessage
const context: HandlerContext = {
  signal: new AbortController().signal,
  attempt: 1,
  maxAttempts: 3,
  queue: 'work',
}

/** The headers of the request that is sent. */
async function send(options: Partial<HttpHandlerOptions>): Promise<Headers> {
  let sent = new Headers()
  const keep: typeof fetch = async (_, init) => {
    sent = new Headers(init?.headers)
    return new Response(null, { status: 204 })
  }
  await httpHandler({ url: 'http://me:secret@localhost/hook', fetch: keep, ...options })(message, context)
  return sent
}

it('headers of the user win over those of the message and of the URL, however they are written', async () => {
  const before = await send({})
  expect(before.get('content-type')).toBe('text/plain')
  expect(before.get('authorization')).toMatch(/^Basic /)

  const headers = { 'Content-Type': 'application/json', AUTHORIZATION: 'Bearer t', 'Warren-Attempt': '9' }
  const after = await send({ headers })

  expect(after.get('content-type')).toBe('application/json')
  expect(after.get('authorization')).toBe('Bearer t')
  expect(after.get('warren-attempt')).toBe('9')
})

it.each([200, 400])('a status of %i counts, although the answer breaks off behind it', async (status) => {
  const broken = () =>
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(Buffer.from('half of'))
        controller.error(new Error('cut'))
      },
    })
  const answering: typeof fetch = async () => new Response(broken(), { status })

  const answer = await httpHandler({ url: 'http://localhost/hook', fetch: answering })(message, context)

  expect(answer).toMatchObject({ status })
})

it('an answer without end is not read to its end', async () => {
  let pulled = 0
  const endless = () =>
    new ReadableStream({
      pull: (controller) => {
        pulled += 1
        controller.enqueue(Buffer.alloc(16 * 1024))
      },
    })
  const answering: typeof fetch = async () => new Response(endless(), { status: 200 })

  await httpHandler({ url: 'http://localhost/hook', fetch: answering })(message, context)

  expect(pulled).toBeLessThan(10)
})

it('a time-out that the built-in fetch would not keep is refused, and taken with a fetch of its own', () => {
  const options = { url: 'http://localhost/hook', timeout: '10m' } as const
  expect(() => httpHandler(options)).toThrow(
    /waits no longer than 5 minutes .* "5m", or a `fetch` of your own/,
  )
  expect(() => httpHandler({ ...options, fetch: async () => new Response() })).not.toThrow()
})
