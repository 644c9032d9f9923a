import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/support/eventually.ts'
import type { RabbitNode } from '../../test/support/start-rabbit-node.ts'
import { describeQueuesOf, type MortalBroker, patiently, Torturer } from './mortal-broker.ts'

/** A broker of one node. */
export function createMortalNode(node: RabbitNode): MortalBroker {
  const torturer = new Torturer()
  const { version, username, password } = node
  return {
    version,
    username,
    password,
    access: node,
    directories: [node.directory],
    get isUp() {
      return !torturer.isBusy
    },
    entrance: () => node,
    crash: (ms) =>
      torturer.beginCrash(async () => {
        await node.kill9()
        await sleep(ms)
        await node.start()
      }),
    pause: (ms) =>
      torturer.begin(async () => {
        await node.pause()
        await sleep(ms)
        await node.resume()
      }),
    alarm: (ms) => torturer.ring(node, ms),
    partition: () => false,
    settled: () => torturer.settled(),
    describeQueues: (vhost) => describeQueuesOf(node, vhost),
    restart: async () => {
      await node.kill9()
      await node.start()
    },
    syncRegistrations: () => eventually(() => node.syncRegistrations(), patiently),
    destroy: () => node.destroy(),
  }
}
