import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import type { ProfileName } from '../../../packages/warrenmq/src/embedded/model/profile.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { callManagement } from '../../support/call-management.ts'
import { sharedBroker } from '../../support/shared-broker.ts'
import { type RabbitNode, startRabbitNode } from '../../support/start-rabbit-node.ts'
import { describeWithNode } from '../../support/with-node.ts'
import { type ClientBroker, describeBroker } from '../clients/on-both-brokers.ts'
import { profileOf } from '../profile-of.ts'

/** A broker that nobody else uses: it can be out of memory, and its long waits can be over soon. */
export interface OwnBroker extends ClientBroker {
  readonly profile: ProfileName
  /** How long it lets a consumer hold a message. */
  readonly consumerTimeoutMs: number
  /** Ends the broker's longest wait: the embedded one's clock is turned, a real one waits for seconds only. */
  passTime(): Promise<void>
  /** As if memory were short. */
  block(): Promise<void>
  unblock(): Promise<void>
}

const halfAnHourMs = 1_800_000
const secondMs = 1000

/** Runs the same tests on the embedded broker and on a RabbitMQ of their own, which is started once. */
export function describeOnOwnNodes(title: string, tests: (open: () => Promise<OwnBroker>) => void): void {
  const profile = profileOf(sharedBroker().version)
  describe.skipIf(!profile)(`${title} on the embedded broker`, () => tests(() => openEmbedded(profile!)))
  if (!profile) return
  describeWithNode(`${title} on RabbitMQ`, () => {
    let node: RabbitNode
    beforeAll(async () => {
      node = await startImpatientNode()
    })
    afterAll(() => node?.destroy())
    tests(() => openVhost(node, profile))
  })
}

async function openEmbedded(profile: ProfileName): Promise<OwnBroker> {
  const broker = await startEmbeddedBroker({ profile, clock: 'virtual', vhosts: ['own'] })
  onTestFinished(broker.stop)
  return {
    ...describeBroker(`${broker.url}/own`, broker.managementUrl),
    profile,
    consumerTimeoutMs: halfAnHourMs,
    passTime: () => broker.clock.advance(halfAnHourMs + 60_000, { held: 'pass' }),
    block: async () => broker.faults.block(),
    unblock: async () => broker.faults.unblock(),
  }
}

/** What RabbitMQ waits for by minutes takes seconds here. */
async function startImpatientNode(): Promise<RabbitNode> {
  const node = await startRabbitNode()
  const settings = {
    consumer_timeout: 2 * secondMs,
    channel_tick_interval: secondMs / 2,
    quorum_tick_interval: secondMs / 2,
    dead_letter_worker_publisher_confirm_timeout: 3 * secondMs,
  }
  const calls = Object.entries(settings).map(
    ([key, value]) => `application:set_env(rabbit, ${key}, ${value})`,
  )
  await node.rabbitmqctl('eval', `${calls.join(', ')}.`)
  return node
}

async function openVhost(node: RabbitNode, profile: ProfileName): Promise<OwnBroker> {
  const { managementUrl, username, password, amqpUrl } = node
  const vhost = `own-${randomBytes(4).toString('hex')}`
  await callManagement(node, 'PUT', `/api/vhosts/${vhost}`, {})
  const withUser = Object.assign(new URL(managementUrl), { username, password })
  return {
    ...describeBroker(`${amqpUrl}/${vhost}`, withUser.href),
    profile,
    consumerTimeoutMs: 2 * secondMs,
    passTime: () => Promise.resolve(),
    block: async () => {
      await node.rabbitmqctl('set_vm_memory_high_watermark', '0.00001')
    },
    unblock: async () => {
      await node.rabbitmqctl('set_vm_memory_high_watermark', '0.6')
    },
  }
}
