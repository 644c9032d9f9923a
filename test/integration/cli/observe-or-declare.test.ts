import { describe, expect, it, onTestFinished } from 'vitest'
import { observeOrDeclare } from '../../../packages/cli/src/observe-or-declare.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()

async function setup(fields: { url?: string; managementUrl?: string; isManagementGuessed: boolean }) {
  const management = new URL(broker.managementUrl)
  management.username = broker.username
  management.password = broker.password
  const { url = broker.url, managementUrl = management.href, isManagementGuessed } = fields
  const session = await Session.open(url)
  onTestFinished(() => session.close())
  return {
    topology: { queues: { orders: { retry: { delays: ['5s'] } } } },
    address: { url, isUrlGuessed: false, managementUrl, isManagementGuessed, vhost: session.vhost },
    session,
    deadline: 0,
  }
}

const nobody = 'http://127.0.0.1:1'

describe('a plan for apply', () => {
  it('is made from what stands on the broker where the management API answers', async () => {
    const { unchecked, plan } = await observeOrDeclare(await setup({ isManagementGuessed: true }))

    expect(unchecked).toEqual([])
    expect(plan.safe).toHaveLength(5)
  })

  it('declares everything and says why where the usual address has no management API', async () => {
    const look = await setup({ managementUrl: nobody, isManagementGuessed: true })

    const { unchecked, plan } = await observeOrDeclare(look)

    expect(unchecked[0]).toMatch(
      /^Declared over AMQP only\. Cannot reach the management API at 127\.0\.0\.1:1/,
    )
    expect(unchecked).toContain('Policies that override arguments were not checked.')
    expect(plan.safe).toHaveLength(5)
  })

  it('does not trust a management API at the usual address that belongs to another broker', async () => {
    const amqp = await startEmbeddedBroker()
    onTestFinished(() => amqp.stop())
    const look = await setup({ url: amqp.url, isManagementGuessed: true })

    const { unchecked, plan } = await observeOrDeclare(look)

    expect(unchecked[0]).toContain(`(RabbitMQ ${broker.version}`)
    expect(unchecked[0]).toContain('does not belong to the broker at amqp://127.0.0.1:')
    expect(plan.safe).toHaveLength(5)
  })

  it('is not made without a management API that somebody named', async () => {
    const look = await setup({ managementUrl: nobody, isManagementGuessed: false })

    await expect(observeOrDeclare(look)).rejects.toMatchObject({ code: 'MANAGEMENT_UNREACHABLE' })
  })
})
