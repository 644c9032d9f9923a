import { setTimeout as pause } from 'node:timers/promises'
import { ManagementError, type PlannedDeployment } from 'warrenmq'
import {
  isManagementAbsent,
  pairManagement,
  planBlindly,
  planDeployment,
  type Session,
  type TopologyDeclaration,
} from 'warrenmq/operations'
import type { BrokerAddress } from './options/broker-options.ts'

export interface Look {
  readonly topology: TopologyDeclaration
  readonly address: BrokerAddress
  /** Connected to the broker. */
  readonly session: Session
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
    if (!isManagementAbsent(error) || !look.address.isManagementGuessed) throw error
    return declareAll(look, (error as Error).message)
  }
}

/** The plan without looking: everything is declared, and what was not looked at is said. */
export function declareAll({ topology, session }: Look, reason: string): PlannedDeployment {
  const planned = planBlindly(topology, session.broker.version)
  return { ...planned, unchecked: [`Declared over AMQP only. ${reason}`, ...planned.unchecked] }
}

async function observe({ topology, address, session, deadline }: Look): Promise<PlannedDeployment> {
  const management = pairManagement(session, address)
  try {
    for (;;) {
      try {
        return await planDeployment(topology, { management, vhost: address.vhost })
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
