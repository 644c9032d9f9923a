import type { ConfirmChannel } from 'amqplib'
import { type EitherBroker, testSameOnBoth } from './same-on-both.ts'

type Definition = Readonly<Record<string, string | number>>

/** One policy after the other on a queue, and nine messages that are sent before the first of them. */
const courses: readonly (readonly (Definition | undefined)[])[] = [
  [{ 'max-length': 5, overflow: 'drop-head' }],
  [{ 'max-length': 5, overflow: 'reject-publish' }],
  [{ 'max-length': 5, overflow: 'reject-publish-dlx' }],
  [{ 'max-length-bytes': 5, overflow: 'reject-publish' }],
  [{ overflow: 'reject-publish' }, { 'max-length': 5, overflow: 'reject-publish' }],
  [
    { 'max-length': 7, overflow: 'reject-publish' },
    { 'max-length': 5, overflow: 'reject-publish' },
  ],
  [
    { 'max-length': 7, overflow: 'reject-publish' },
    { 'max-length': 5, overflow: 'drop-head' },
  ],
  [{ 'max-length': 100, overflow: 'reject-publish' }, undefined, { 'max-length': 5 }],
  [{ 'max-length': 5, overflow: 'reject-publish' }, undefined],
  [
    { 'max-length': 5, overflow: 'reject-publish' },
    { 'max-length': 50, overflow: 'reject-publish' },
  ],
]

for (const type of ['classic', 'quorum']) {
  for (const overflow of [undefined, 'drop-head', 'reject-publish']) {
    testSameOnBoth(
      `a limit that comes by a policy makes room as in RabbitMQ: ${type}, overflow ${overflow ?? 'not said'}`,
      async (broker) => {
        const channel = await (await broker.connect()).createConfirmChannel()
        const seen: unknown[] = []
        for (const [index, course] of courses.entries()) {
          const queue = `full-${index}`
          const args = { 'x-queue-type': type, ...(overflow && { 'x-overflow': overflow }) }
          await channel.assertQueue(queue, { arguments: args })
          for (let body = 0; body < 9; body += 1) channel.sendToQueue(queue, Buffer.from(String(body)))
          await channel.waitForConfirms()
          const counts = []
          for (const definition of course) {
            await setPolicy(broker, { queue, definition })
            counts.push((await channel.checkQueue(queue)).messageCount)
          }
          seen.push([course, counts, await isTaken(channel, queue), await drain(channel, queue)])
        }
        return seen
      },
    )
  }
}

/** RabbitMQ tells the queue before it answers. */
async function setPolicy(
  { api, vhost }: EitherBroker,
  { queue, definition }: { queue: string; definition: Definition | undefined },
): Promise<void> {
  const path = `policies/${vhost}/${queue}`
  const body = { pattern: `^${queue}$`, definition, priority: 0, 'apply-to': 'queues' }
  if (definition) await api('PUT', path, body)
  else await api('DELETE', path)
}

async function isTaken(channel: ConfirmChannel, queue: string): Promise<boolean> {
  channel.sendToQueue(queue, Buffer.from('late'))
  return channel.waitForConfirms().then(
    () => true,
    () => false,
  )
}

async function drain(channel: ConfirmChannel, queue: string): Promise<readonly string[]> {
  const bodies: string[] = []
  for (;;) {
    const message = await channel.get(queue, { noAck: true })
    if (!message) return bodies
    bodies.push(String(message.content))
  }
}
