import { expect, onTestFinished, test } from 'vitest'
import { declareQueue } from '../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../packages/warrenmq/src/broker/amqp/session.ts'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { Publisher } from '../../packages/warrenmq/src/publisher/publisher.ts'
import { holdMessages } from '../../packages/warrenmq/src/recovery/look/hold-messages.ts'
import { toFieldTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import { unlimitedQuorum } from '../integration/recovery/recovery-rig.ts'
import { eventually } from '../support/eventually.ts'

test.each(['3.10', '4.0'] as const)(
  'a backup that takes so long that %s takes its messages back says so, and all are there',
  async (profile) => {
    const broker = await startEmbeddedBroker({ profile, clock: 'virtual' })
    const session = await Session.open(broker.url, { backoff: { initialMs: 1, maxMs: 20 } })
    onTestFinished(async () => {
      await session.close()
      await broker.stop()
    })
    const channel = await session.openChannel()
    const quorum = toFieldTable(unlimitedQuorum(session.broker.version))
    await declareQueue(channel, { queue: 'dlq', arguments: quorum })
    const publisher = new Publisher(session)
    for (let number = 0; number < 3; number += 1) await publisher.publish({ key: 'dlq', body: `m-${number}` })

    const holding = holdMessages({
      consuming: session,
      publishing: session,
      queue: 'dlq',
      acceptDeliveryLimit: true,
      by: 'test',
      purpose: 'a backup',
      onMessage: () => undefined,
      whileHeld: async () => {
        await broker.clock.advance('32m', { held: 'pass' })
        return 0
      },
    })

    await expect(holding).rejects.toMatchObject({ code: 'RECOVERY_HELD_TOO_LONG' })
    await eventually(() => expect(broker.inspect('dlq')?.counts.ready).toBe(3))
  },
)
