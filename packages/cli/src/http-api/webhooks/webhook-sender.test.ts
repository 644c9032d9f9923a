import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SentEvent } from './webhook-event.ts'
import { WebhookSender } from './webhook-sender.ts'
import { readWebhooks } from './webhook-settings.ts'

/** A sender to a receiver that answers like this, and what it gave up. */
async function setup(answer: RequestListener, goodbyeMs?: number) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { hooks, retry } = readWebhooks({ to: [{ name: 'test', url, on: { taskFinished: true } }] }, {})
  const givenUp: string[] = []
  const sender = new WebhookSender({
    hook: hooks[0]!,
    retry,
    onGivenUp: ({ id }, reason) => void givenUp.push(`${id}: ${reason}`),
    ...(goodbyeMs !== undefined && { goodbyeMs }),
  })
  return { sender, givenUp }
}

const eventOf = (id: string): SentEvent => ({
  id,
  at: '2030-01-01T00:00:00Z',
  vhost: '/',
  event: { kind: 'dlq.above', queue: 'a.dlq', messages: 2, above: 1 },
})

describe('a sender', () => {
  it('knows how its receiver takes what it is sent', async () => {
    const answers = [503, 204, 400]
    const { sender, givenUp } = await setup((_request, response) => {
      response.writeHead(answers.shift()!).end()
    })

    sender.send(eventOf('one'))
    sender.send(eventOf('two'))
    await expect.poll(() => givenUp, { timeout: 10_000 }).toEqual(['two: it answered 400'])

    const time = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(sender.state).toEqual({
      waiting: 0,
      accepted: 1,
      acceptedAt: time,
      givenUp: 1,
      failure: { at: time, reason: 'it answered 400' },
    })
    await sender.close()
  })
})

describe('a sender that is told to end', () => {
  it('sends what is due first', async () => {
    const taken: unknown[] = []
    const { sender, givenUp } = await setup(({ headers }, response) => {
      taken.push(headers['x-warren-id'])
      response.writeHead(204).end()
    })
    sender.send(eventOf('one'))
    sender.send(eventOf('two'))

    await sender.close()

    expect(taken).toEqual(['one', 'two'])
    expect(givenUp).toEqual([])
  })

  it('does not wait for ever for a receiver that does not answer', async () => {
    const { sender, givenUp } = await setup(() => {}, 50)
    sender.send(eventOf('one'))

    await sender.close()

    expect(givenUp).toEqual(['one: the server is stopping'])
  })
})
