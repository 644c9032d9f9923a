import { joinBody } from '../../broker/amqp/message.ts'
import { declareQueue, deleteQueue, inspectQueue } from '../../broker/amqp/operations.ts'
import { Session } from '../../broker/amqp/session.ts'
import { startEmbeddedBroker } from '../../embedded/start-embedded-broker.ts'
import { Publisher } from '../../publisher/publisher.ts'
import type { CliCommand } from '../command.ts'
import type { Terminal } from '../terminal.ts'

const orderCount = 1_000

/** The groundwork as a story: every publish has one result, every delivery is settled, and the sum is right. */
export const demo: CliCommand = {
  name: 'demo',
  summary: 'publish and consume on a broker inside this process; ends by itself',
  example: 'warren demo',
  configure: (command) => {
    command.option(
      '--url <url>',
      'a real broker instead (also AMQP_URL); one queue of its own, deleted after',
    )
  },
  run: async ({ options, env }, terminal) => {
    const url = (options.url as string | undefined) ?? env.AMQP_URL
    const embedded = url === undefined ? await startEmbeddedBroker() : undefined
    const session = await Session.open(url ?? embedded!.url, { name: 'warren demo' })
    try {
      return await tellStory({ session, terminal, isEmbedded: embedded !== undefined })
    } finally {
      await session.close()
      await embedded?.stop()
    }
  },
}

interface Stage {
  readonly session: Session
  readonly terminal: Terminal
  readonly isEmbedded: boolean
}

async function tellStory({ session, terminal, isEmbedded }: Stage): Promise<0 | 1> {
  const { say, paint } = terminal
  const channel = await session.openChannel()
  const { queue } = await declareQueue(channel, { queue: '', exclusive: true, durable: false })
  const { product, version } = session.broker
  say(
    `${paint('bold', 'Warren')} talks to ${isEmbedded ? 'a broker in this process that behaves as ' : ''}${product} ${version}.`,
  )

  const published = await publishOrders(session, queue)
  say(`${orderCount} orders published: ${published.confirmed} confirmed by the broker,`)
  say(`  ${published.returned} came back because no queue takes them. None is in doubt.`)

  const handled = await consumeAll(session, queue, published.confirmed)
  const { messageCount: left } = await inspectQueue(channel, queue)
  await deleteQueue(channel, queue)
  say(`${handled} handled and acknowledged, ${left} left in the queue.`)

  const addsUp = handled + left + published.returned === orderCount
  const equation = `${orderCount} = ${handled} handled + ${left} left + ${published.returned} returned`
  say(addsUp ? paint('green', equation) : paint('red', `It does not add up: ${equation}`))
  terminal.result({ broker: session.broker, published: orderCount, ...published, handled, left, addsUp })
  return addsUp ? 0 : 1
}

/** Every hundredth order goes to an address that nobody listens to. */
async function publishOrders(
  session: Session,
  queue: string,
): Promise<{ confirmed: number; returned: number }> {
  const publisher = new Publisher(session)
  const results = await Promise.all(
    Array.from({ length: orderCount }, (_, id) =>
      publisher.publish({ key: id % 100 === 99 ? `${queue}.nobody` : queue, body: { id } }),
    ),
  )
  await publisher.close()
  const count = (kind: string): number => results.filter((result) => result.kind === kind).length
  return { confirmed: count('confirmed'), returned: count('returned') }
}

async function consumeAll(session: Session, queue: string, expected: number): Promise<number> {
  const channel = await session.openChannel()
  await channel.setPrefetch(100)
  const seen = new Set<number>()
  await new Promise<void>((resolve, reject) => {
    channel
      .consume(queue, (delivery) => {
        seen.add((JSON.parse(joinBody(delivery.body).toString()) as { id: number }).id)
        delivery.ack()
        if (seen.size === expected) resolve()
      })
      .catch(reject)
  })
  await channel.close()
  return seen.size
}
