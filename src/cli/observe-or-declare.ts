import { setTimeout as pause } from 'node:timers/promises'
import { openManagement } from '../broker/management/open-management.ts'
import { type PlannedDeployment, planBlindly, planDeployment } from '../deploy/deploy-topology.ts'
import { ManagementError } from '../errors.ts'
import type { TopologyDeclaration } from '../topology/declaration.ts'
import type { BrokerAddress } from './broker-options.ts'

export interface Look {
  readonly topology: TopologyDeclaration
  readonly address: BrokerAddress
  /** What the broker says of itself over AMQP. */
  readonly brokerVersion: string
  /** In milliseconds of the epoch: how long a management API that was named may still be starting. */
  readonly deadline: number
}

/**
 * Plans from what stands on the broker. Where nobody named a management API and the usual address has none, the
 * plan is to declare everything, and its first sentence says why. One that was named has to answer.
 */
export async function observeOrDeclare(look: Look): Promise<PlannedDeployment> {
  try {
    return await observe(look)
  } catch (error) {
    if (!(error instanceof ManagementError) || !look.address.isManagementGuessed) throw error
    return declareAll(look, error.message)
  }
}

/** The plan without looking: everything is declared, and what was not looked at is said. */
export function declareAll({ topology, brokerVersion }: Look, reason: string): PlannedDeployment {
  const planned = planBlindly(topology, brokerVersion)
  return { ...planned, unchecked: [`Declared over AMQP alone. ${reason}`, ...planned.unchecked] }
}

async function observe({ topology, address, brokerVersion, deadline }: Look): Promise<PlannedDeployment> {
  const management = openManagement(address.managementUrl)
  try {
    for (;;) {
      try {
        const planned = await planDeployment(topology, { management, vhost: address.vhost })
        refuseOtherBroker(planned, { address, brokerVersion })
        return planned
      } catch (error) {
        if (!mayBeStarting(error, address) || Date.now() >= deadline) throw error
        await pause(Math.min(500, Math.max(0, deadline - Date.now())))
      }
    }
  } finally {
    management.close()
  }
}

function mayBeStarting(error: unknown, { isManagementGuessed }: BrokerAddress): boolean {
  return !isManagementGuessed && error instanceof ManagementError && error.code === 'MANAGEMENT_UNREACHABLE'
}

// Where AMQP is on a port of its own, the usual management port may belong to another broker of that machine.
function refuseOtherBroker(
  { live }: PlannedDeployment,
  { address, brokerVersion }: Pick<Look, 'address' | 'brokerVersion'>,
): void {
  if (!address.isManagementGuessed || live.brokerVersion.text === brokerVersion) return
  throw new ManagementError({
    code: 'MANAGEMENT_UNEXPECTED_ANSWER',
    message: `The management API at the usual port is that of RabbitMQ ${live.brokerVersion.text}, but the broker is ${brokerVersion}. Name the right one with --management-url.`,
  })
}
