import { describe, expect, it } from 'vitest'
import { observeOrDeclare } from '../../../src/cli/observe-or-declare.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()

function setup(fields: { managementUrl?: string; isManagementGuessed: boolean; brokerVersion?: string }) {
  const management = new URL(broker.managementUrl)
  management.username = broker.username
  management.password = broker.password
  const { managementUrl = management.href, isManagementGuessed, brokerVersion = broker.version } = fields
  return {
    topology: { queues: { orders: { retry: { delays: ['5s'] } } } },
    address: { url: broker.url, managementUrl, isManagementGuessed, vhost: broker.vhost },
    brokerVersion,
    deadline: 0,
  }
}

const nobody = 'http://127.0.0.1:1'

describe('a plan for apply', () => {
  it('is made from what stands on the broker where the management API answers', async () => {
    const { unchecked, plan } = await observeOrDeclare(setup({ isManagementGuessed: true }))

    expect(unchecked).toEqual([])
    expect(plan.safe).toHaveLength(5)
  })

  it('declares everything and says why where the usual address has no management API', async () => {
    const look = setup({ managementUrl: nobody, isManagementGuessed: true })

    const { unchecked, plan } = await observeOrDeclare(look)

    expect(unchecked[0]).toMatch(
      /^Declared over AMQP alone\. Cannot reach the management API at 127\.0\.0\.1:1/,
    )
    expect(unchecked).toContain('Policies that override arguments were not looked for.')
    expect(plan.safe).toHaveLength(5)
  })

  it('does not trust a management API at the usual address that belongs to another broker', async () => {
    const look = setup({ isManagementGuessed: true, brokerVersion: '3.9.0' })

    const { unchecked } = await observeOrDeclare(look)

    expect(unchecked[0]).toContain(`is that of RabbitMQ ${broker.version}, but the broker is 3.9.0`)
  })

  it('is not made without a management API that somebody named', async () => {
    const look = setup({ managementUrl: nobody, isManagementGuessed: false })

    await expect(observeOrDeclare(look)).rejects.toMatchObject({ code: 'MANAGEMENT_UNREACHABLE' })
  })
})
