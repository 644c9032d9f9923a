import { randomBytes } from 'node:crypto'
import {
  type CompiledTopology,
  type Duration,
  deleteExchange,
  deleteQueue,
  inspectQueue,
  isManagementAbsent,
  type Management,
  openSessionPair,
  pairManagement,
  type Session,
  type SessionPair,
} from 'warrenmq/operations'
import { type EmbeddedBroker, startEmbeddedBroker } from 'warrenmq/testing'
import type { CommandInput } from '../command.ts'
import { type BrokerAddress, readBrokerOptions } from '../options/broker-options.ts'
import type { OrderBook } from './order-book.ts'

/** Where the demo plays: a broker, its clock, and names that are nobody else's. */
export interface Stage extends SessionPair {
  readonly isEmbedded: boolean
  /** The HTTP API of the broker that has this queue; undefined where nobody named one and there is none. */
  findManagement(queue: string): Promise<Management | undefined>
  /** Before every name. */
  readonly prefix: string
  readonly delays: readonly Duration[]
  /** On the broker's clock. */
  now(): number
  /** Lets the hours pass in which every order that is left only waits. A real clock needs nobody to do that. */
  letTimePass(book: OrderBook): void
  /** Turns the clock on, whatever waits. A real clock cannot be turned. */
  forward(milliseconds: number): Promise<void>
  /** Ready messages at this moment. */
  countMessages(queue: string): Promise<number>
  /** Takes everything of the topology off a broker that lives on. */
  cleanUp(topology: CompiledTopology): Promise<void>
  close(): Promise<void>
}

/** The broker of `--url` or AMQP_URL, or else one inside this process whose clock is virtual. */
export async function openStage(input: Pick<CommandInput, 'options' | 'env'>): Promise<Stage> {
  const isGiven = Boolean(input.options.url ?? input.env.AMQP_URL)
  if (isGiven) return openGivenBroker(readBrokerOptions(input))
  const embedded = await startEmbeddedBroker({ clock: 'virtual' })
  try {
    return await openEmbedded(embedded)
  } catch (error) {
    await embedded.stop()
    throw error
  }
}

async function openEmbedded(embedded: EmbeddedBroker): Promise<Stage> {
  const { url, managementUrl, clock } = embedded
  const place = { managementUrl, isManagementGuessed: false }
  const connections = await openConnections({ url, isUrlGuessed: false, vhost: '/', ...place })
  return {
    ...connections,
    isEmbedded: true,
    prefix: '',
    delays: ['5s', '30s', '5m', '30m'],
    now: () => clock.now(),
    letTimePass: (book) => letTimePass(book, embedded),
    // What a look holds is meant to be held.
    forward: (milliseconds) => clock.advance(milliseconds, { held: 'pass' }),
    cleanUp: async () => {}, // it goes with the process
    close: async () => {
      await connections.close()
      await embedded.stop()
    },
  }
}

async function openGivenBroker(address: BrokerAddress): Promise<Stage> {
  const connections = await openConnections(address)
  return {
    ...connections,
    isEmbedded: false,
    prefix: `warren-demo-${randomBytes(3).toString('hex')}.`,
    delays: ['100ms', '200ms', '300ms', '400ms'],
    now: Date.now,
    letTimePass: () => {},
    forward: async () => {},
    cleanUp: (topology) => deleteAll(connections.consuming, topology),
  }
}

type BrokerConnections = Pick<
  Stage,
  'consuming' | 'publishing' | 'findManagement' | 'countMessages' | 'close'
>

async function openConnections(address: BrokerAddress): Promise<BrokerConnections> {
  const { consuming, publishing } = await openSessionPair(
    address.url,
    { name: 'warren demo' },
    { name: 'warren demo publishing' },
  )
  const management = pairManagement(consuming, address)
  return {
    consuming,
    publishing,
    findManagement: async (queue) =>
      (await knowsQueue({ management, address, queue })) ? management : undefined,
    countMessages: async (queue) => {
      const channel = await consuming.openChannel()
      const { messageCount } = await inspectQueue(channel, queue)
      await channel.close()
      return messageCount
    },
    close: async () => {
      await Promise.all([consuming.close(), publishing.close()])
      management.close()
    },
  }
}

/** One that was named has to answer. At the usual address there may be none, or that of another broker. */
async function knowsQueue(fields: {
  readonly management: Management
  readonly address: BrokerAddress
  readonly queue: string
}): Promise<boolean> {
  const { management, address, queue } = fields
  try {
    return (await management.queues.find({ vhost: address.vhost, name: queue })) !== undefined
  } catch (error) {
    if (!isManagementAbsent(error) || !address.isManagementGuessed) throw error
    return false
  }
}

/** Turns the clock to the next attempt whenever there is nothing else to wait for. */
function letTimePass(book: OrderBook, { clock }: Pick<EmbeddedBroker, 'clock'>): void {
  let isTurning = false
  const turn = async (): Promise<void> => {
    const dueAtMs = book.earliestDueMs()
    if (isTurning || book.counts.moving > 0 || dueAtMs === undefined || dueAtMs <= clock.now()) return
    isTurning = true
    await clock.advance(dueAtMs - clock.now())
    isTurning = false
    await turn()
  }
  book.onChange(() => void turn())
}

async function deleteAll(session: Session, { queues, exchanges }: CompiledTopology): Promise<void> {
  const channel = await session.openChannel()
  for (const { name } of queues) await deleteQueue(channel, name)
  for (const { name } of exchanges) await deleteExchange(channel, name)
  await channel.close()
}
