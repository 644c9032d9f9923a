import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { buildFrame } from '../../../../../test/support/build-frame.ts'
import { realClock } from '../../clock.ts'
import type { Method } from '../../wire/method-specs.ts'
import { encodeMethod } from '../../wire/methods.ts'
import { enterWorld, nodeWorld, type World } from '../../world.ts'
import { createBroker } from '../model/create-broker.ts'
import { profiles } from '../model/profiles/profiles.ts'
import { startAmqpServer } from './amqp-server.ts'
import { createFaults } from './faults.ts'

/** A broker for which time passes a hundred times as fast, and a client that never ends its side. */
async function setup(said: readonly Buffer[]): Promise<Socket> {
  const setTimeout = ((task: () => void, delayMs = 0) =>
    nodeWorld.setTimeout(task, delayMs / 100)) as unknown as World['setTimeout']
  enterWorld({ ...nodeWorld, setTimeout })
  const server = await startAmqpServer({
    broker: createBroker({ profile: profiles['4.3'], clock: realClock, seed: 1 }),
    faults: createFaults(realClock, () => undefined),
    clusterName: 'patient',
    port: 0,
    onDelivery: () => undefined,
    report: (error) => expect.unreachable(String(error)),
  })
  onTestFinished(async () => {
    enterWorld(nodeWorld)
    await server.stop()
  })
  const client = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void client.destroy())
  client.resume()
  client.write(Buffer.concat(said))
  await once(client, 'connect')
  return client
}

const greeting = Buffer.from('AMQP\0\0\x09\x01', 'latin1')
const farewell: Method = {
  name: 'connection.close',
  replyCode: 200,
  replyText: 'bye',
  classId: 0,
  methodId: 0,
}

test.each([
  { client: 'says nothing', said: [] },
  { client: 'is silent after its greeting', said: [greeting] },
])('a client that $client is let go', async ({ said }) => {
  const client = await setup(said)

  await expect(once(client, 'close')).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('a client that never ends its side after the goodbye is let go', async () => {
  const startOk: Method = {
    name: 'connection.start-ok',
    clientProperties: [],
    mechanism: 'PLAIN',
    locale: 'en_US',
    response: Buffer.from('\0guest\0guest'),
  }
  const client = await setup([
    greeting,
    ...[startOk, farewell].map((method) =>
      buildFrame({ type: 1, channel: 0, payload: encodeMethod(method) }),
    ),
  ])

  await once(client, 'end')
  expect(client.writable).toBe(true)

  // What is written to a socket that is gone is answered with a reset.
  const isGone = once(client, 'close').catch((error: NodeJS.ErrnoException) => error.code)
  const writing = setInterval(() => client.write(greeting), 10)
  onTestFinished(() => clearInterval(writing))
  expect(['ECONNRESET', 'EPIPE']).toContain(await isGone)
})
