import { expect, it } from 'vitest'
import type { ConsumedMessage } from './consumed-message.ts'
import type { HandlerContext } from './handler.ts'
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
