import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { declareQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { joinBody } from '../../../packages/warrenmq/src/broker/amqp/message.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { Publisher, type PublisherOptions } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()

async function setup(options: PublisherOptions = {}) {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  const session = await Session.open(broker.url, { backoff: { initialMs: 4, maxMs: 64 } })
  const publisher = new Publisher(session, options)
  onTestFinished(async () => {
    await publisher.close()
    await session.close()
    random.mockRestore()
  })
  const pauses: number[] = []
  session.events.on('channel-failed', ({ nextAttemptMs }) => pauses.push(nextAttemptMs))
  const reader = await session.openChannel()
  const queue = `neighbours ${options.resend}`
  await declareQueue(reader, { queue })
  const bodies = async (): Promise<string[]> => {
    const read: string[] = []
    for (;;) {
      const message = await reader.get(queue, { noAck: true })
      if (!message) return read
      read.push(joinBody(message.body).toString())
    }
  }
  await publisher.room()
  const publish = (body: string) => publisher.publish({ key: queue, body })
  const publishWrongly = () => publisher.publish({ exchange: 'typo', key: queue, body: 'wrong' })
  return { publish, publishWrongly, pauses, bodies }
}

const closedOver = {
  kind: 'unknown',
  wasSent: true,
  cause: { code: 'CHANNEL_CLOSED_BY_BROKER', replyCode: 404 },
}

describe('a publish to an exchange that does not exist', () => {
  it('does not make the others wait longer each time', async () => {
    const { publish, publishWrongly, pauses, bodies } = await setup()

    for (const body of ['a', 'b', 'c', 'd']) {
      expect(await publishWrongly()).toMatchObject(closedOver)
      expect(await publish(body)).toMatchObject({ kind: 'confirmed' })
    }

    expect(pauses).toEqual([4, 4, 4, 4])
    expect(await bodies()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('leaves those that were sent behind it unknown, and the broker does not have them', async () => {
    const { publish, publishWrongly, bodies } = await setup({ resend: false })

    const [wrong, behind] = await Promise.all([publishWrongly(), publish('behind')])
    const next = await publish('next')

    expect([wrong, behind]).toMatchObject([closedOver, closedOver])
    expect(next).toMatchObject({ kind: 'confirmed', mayBeDuplicate: false })
    expect(await bodies()).toEqual(['next'])
  })

  it('is given up alone where the others may be sent again', async () => {
    const { publish, publishWrongly, bodies } = await setup({ resend: true })
    const before = ['a', 'b', 'c'].map(publish)
    const wrong = [publishWrongly(), publishWrongly()]
    const behind = ['d', 'e', 'f'].map(publish)

    const results = await Promise.all([...before, ...behind])

    expect(results.map(({ kind }) => kind)).toEqual(Array(6).fill('confirmed'))
    expect(results.slice(3)).toMatchObject(Array(3).fill({ mayBeDuplicate: true }))
    expect(await Promise.all(wrong)).toMatchObject([closedOver, closedOver])
    expect([...new Set(await bodies())]).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  })
})
