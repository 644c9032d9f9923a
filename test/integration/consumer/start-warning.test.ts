import { expect, it, onTestFinished } from 'vitest'
import { deleteQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { startConsumer } from '../../../packages/warrenmq/src/consumer/start-consumer.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createConsumerRig, declareTopology } from './consumer-rig.ts'

const broker = await useBroker()
let made = 0

/** What the process is told about consumers that wait for their start. */
function listen(): Error[] {
  const warnings: Error[] = []
  const keep = (warning: Error & { code?: string }) => {
    if (warning.code === 'WARREN_CONSUMER_WAITS') warnings.push(warning)
  }
  process.on('warning', keep)
  onTestFinished(() => {
    process.off('warning', keep)
  })
  return warnings
}

async function setup(consumingUrl = broker.url) {
  made += 1
  const name = `waits-${made}`
  const declaration = { queues: { [name]: { retry: false } } } as const
  const rig = await createConsumerRig({ url: broker.url, consumingUrl, declaration })
  return { ...rig, name }
}

it('a consumer whose queue is missing says so once to the process, with what to do, and goes on trying', async () => {
  const { name, admin, flow, consuming, topology } = await setup()
  await deleteQueue(admin, name)
  const warnings = listen()
  let failures = 0
  consuming.events.on('channel-failed', () => {
    failures += 1
  })

  const consumer = startConsumer({
    consuming,
    publishing: consuming,
    flow: flow(name),
    handler: () => undefined,
  })
  onTestFinished(() => consumer.close({ deadline: 0 }))
  await eventually(() => expect(failures).toBeGreaterThanOrEqual(2))
  await declareTopology(admin, topology)
  await consumer.whenStarted()

  expect(warnings).toHaveLength(1)
  expect(warnings[0]!.message).toContain(
    `The consumer of "${name}" cannot start, and tries again until it can: `,
  )
  expect(warnings[0]!.message).toContain('NOT_FOUND')
  expect(warnings[0]!.message).toContain('await warren.apply()')
})

it('a consumer that may not read its queue says which permission it waits for', async () => {
  const user = `reader-${broker.vhost}`
  const permission = (read: string) =>
    broker.management('PUT', `/api/permissions/${broker.vhost}/${user}`, { configure: '', write: '.*', read })
  await broker.management('PUT', `/api/users/${user}`, { password: 'secret', tags: '' })
  onTestFinished(() => broker.management('DELETE', `/api/users/${user}`).then(() => undefined))
  await permission('')
  const url = Object.assign(new URL(broker.url), { username: user, password: 'secret' }).href
  const { name, flow, consuming, publisher } = await setup(url)
  const warnings = listen()

  const consumer = startConsumer({
    consuming,
    publishing: publisher,
    flow: flow(name),
    handler: () => undefined,
  })
  onTestFinished(() => consumer.close({ deadline: 0 }))

  await eventually(() => expect(warnings).toHaveLength(1))
  expect(warnings[0]!.message).toContain('ACCESS_REFUSED')
  expect(warnings[0]!.message).toContain(`Give its user the permission to read "${name}".`)
})

it.each<[string, boolean, boolean]>([
  ['both are exclusive', true, true],
  ['the other is exclusive', true, false],
  ['it is exclusive itself', false, true],
])(
  'a consumer that waits for another one says so, and nothing of permissions, if %s',
  async (_, first, second) => {
    made += 1
    const name = `waits-${made}`
    // Quorum queues know no exclusive consumers before 4.0.
    const declaration = { queues: { [name]: { type: 'classic', retry: false } } } as const
    const rig = await createConsumerRig({ url: broker.url, consumingUrl: broker.url, declaration })
    const parts = {
      consuming: rig.consuming,
      publishing: rig.publisher,
      flow: rig.flow(name),
      handler: () => undefined,
    }
    const warnings = listen()
    const other = startConsumer({ ...parts, options: { exclusive: first } })
    onTestFinished(() => other.close({ deadline: 0 }))
    await other.whenStarted()

    const consumer = startConsumer({ ...parts, options: { exclusive: second } })
    onTestFinished(() => consumer.close({ deadline: 0 }))

    await eventually(() => expect(warnings).toHaveLength(1))
    expect(warnings[0]!.message).toContain(`Another consumer takes from "${name}"`)
    expect(warnings[0]!.message).not.toContain('permission')
    await other.close()
    await consumer.whenStarted()
  },
)
