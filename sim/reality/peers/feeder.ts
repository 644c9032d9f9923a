import { setTimeout as sleep } from 'node:timers/promises'
import amqp, { type ChannelModel } from 'amqplib'

/** Publishes into a queue, past the nemesis, and knows what the broker has confirmed. */
export interface Feeder {
  readonly sent: ReadonlySet<string>
  readonly confirmed: ReadonlySet<string>
  end(): Promise<void>
}

const batch = 10
const pauseMs = 60

export function startFeeder(url: () => string, queue: string): Feeder {
  const sent = new Set<string>()
  const confirmed = new Set<string>()
  let isEnding = false
  const feed = async (): Promise<void> => {
    const connection = await amqp.connect(url())
    connection.on('error', () => {})
    try {
      await publishTo(connection)
    } finally {
      await connection.close().catch(() => undefined)
    }
  }
  const publishTo = async (connection: ChannelModel): Promise<void> => {
    const channel = await connection.createConfirmChannel()
    let isGone = false
    channel
      .on('error', () => {})
      .once('close', () => {
        isGone = true
      })
    while (!isEnding && !isGone) {
      for (let count = 0; count < batch; count += 1) {
        const messageId = `m${sent.size + 1}`
        sent.add(messageId)
        const options = { messageId, persistent: true, contentType: 'text/plain' }
        channel.sendToQueue(queue, Buffer.from(messageId), options, (error: unknown) => {
          if (!error) confirmed.add(messageId)
        })
      }
      await sleep(pauseMs)
    }
    if (!isGone) await channel.waitForConfirms()
  }
  const ended = (async () => {
    while (!isEnding) {
      await feed().catch(() => undefined)
      await sleep(100)
    }
  })()
  return {
    sent,
    confirmed,
    end: () => {
      isEnding = true
      return ended
    },
  }
}
