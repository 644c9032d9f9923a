import { InvalidArgumentError } from 'warrenmq'
import {
  compileTopology,
  isManagementAbsent,
  type LiveTopology,
  observeTopology,
  pairManagement,
  type QueueFlow,
  recogniseTopology,
  type Session,
  type TopologyDeclaration,
} from 'warrenmq/operations'
import type { CommandInput } from './command.ts'
import { findDeclaration } from './config/load-config.ts'
import type { BrokerAddress } from './options/broker-options.ts'

export interface FoundFlow {
  readonly flow: QueueFlow
  /** Declared in the config, read from the broker, or unknown: nobody could be asked. */
  readonly source: 'config' | 'broker' | 'unknown'
}

/**
 * How messages of a queue are retried and parked: as the config declares it, by either of its names, or as what
 * stands on the broker shows. Where neither can be had, the queue is taken as one on its own.
 */
export async function findQueueFlow(
  queue: string,
  { input, address, session }: { input: CommandInput; address: BrokerAddress; session: Session },
): Promise<FoundFlow> {
  const brokerVersion = session.broker.version
  const flowIn = (topology: TopologyDeclaration): QueueFlow | undefined =>
    compileTopology(topology, { brokerVersion }).flows.find(
      (flow) => flow.name === queue || flow.queue === queue,
    )
  const declared = await findDeclaration(input.options)
  const ofConfig = declared && flowIn(declared)
  if (ofConfig) return { flow: ofConfig, source: 'config' }
  const live = await observe(session, address)
  if (!live) return { flow: flowIn({ queues: { [queue]: { deadLetter: false } } })!, source: 'unknown' }
  const ofBroker = flowIn(recogniseTopology(live).topology)
  if (ofBroker) return { flow: ofBroker, source: 'broker' }
  throw new InvalidArgumentError(
    `There is no queue "${queue}" to deliver from in vhost "${address.vhost}". Check the name, or name another vhost with --vhost.`,
  )
}

async function observe(session: Session, address: BrokerAddress): Promise<LiveTopology | undefined> {
  const management = pairManagement(session, address)
  try {
    return await observeTopology(management, { vhost: address.vhost })
  } catch (error) {
    if (isManagementAbsent(error) && address.isManagementGuessed) return undefined
    throw error
  } finally {
    management.close()
  }
}
