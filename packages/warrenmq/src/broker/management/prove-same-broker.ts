import { ChannelError, ManagementError } from '../../errors.ts'
import { joinSignals } from '../../join-signals.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import { performance, randomUUID } from '../../world.ts'
import type { AmqpConnection } from '../amqp/connection.ts'
import { declareQueue, deleteQueue } from '../amqp/declarations.ts'
import { describeEndpoint } from '../amqp/parse-amqp-url.ts'
import { pause } from '../amqp/pause.ts'
import { placeOf } from './explain-status.ts'
import type { ManagementAddress } from './management-url.ts'
import type { Management } from './open-management.ts'

export interface ProofTask {
  readonly connection: AmqpConnection
  readonly management: Management
  /** Where that is, for people. */
  readonly address: ManagementAddress
  readonly signal: AbortSignal
}

const queueAnsweredWithinMs = 5_000
/** A queue is known to every node of a cluster within a tenth of this. */
const queueSeenWithinMs = 1_000
/** A connection is listed when its statistics come, every five seconds. */
const connectionSeenWithinMs = 6_000

/**
 * Rejects unless the management API shows what only this AMQP connection can have made: a queue with a random name,
 * or, where the account may not declare one, the connection itself. The names of nodes and clusters prove nothing: two
 * brokers may share theirs, and two nodes of one cluster may differ.
 */
export async function proveSameBroker(task: ProofTask): Promise<void> {
  const byQueue = proveByQueue(task)
  // Since 4.3 a cluster that has lost most of its nodes declares nothing, and lists its connections all the same.
  if ((await isSlow(byQueue, task.signal)) && (await isConnectionSeen(task))) {
    byQueue.catch(() => {}) // nobody needs its answer any more
    return
  }
  const isQueueSeen = await byQueue
  if (isQueueSeen === false) throw await otherBroker(task)
  if (isQueueSeen === undefined && !(await isConnectionSeen(task))) throw notProved(task)
}

/** Whether there is no answer for longer than a broker takes that can give one. */
async function isSlow(answer: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  const isAnswered = new AbortController()
  const over = joinSignals([signal, isAnswered.signal])
  answer.then(
    () => isAnswered.abort(),
    () => isAnswered.abort(),
  )
  await pause(queueAnsweredWithinMs, over.signal)
  over.release()
  return !isAnswered.signal.aborted
}

/** Undefined where the account may declare no queue. */
async function proveByQueue(task: ProofTask): Promise<boolean | undefined> {
  // The name that the broker chooses is for accounts that may declare nothing else.
  for (const wanted of [`warren.proof.${randomUUID()}`, '']) {
    const channel = await task.connection.openChannel()
    try {
      const { queue } = await declareQueue(channel, {
        queue: wanted,
        durable: false,
        exclusive: true,
        arguments: toFieldTable({ 'x-queue-type': 'classic' }),
      })
      const isSeen = await isQueueSeen(task, queue).finally(() => deleteQueue(channel, queue))
      return isSeen
    } catch (error) {
      if (!(error instanceof ChannelError) || error.code !== 'CHANNEL_CLOSED_BY_BROKER') throw error
    } finally {
      await channel.close()
    }
  }
  return undefined
}

function isQueueSeen({ connection, management, signal }: ProofTask, name: string): Promise<boolean> {
  const queue = { vhost: connection.endpoint.vhost, name }
  return seenWithin(queueSeenWithinMs, signal, () => management.queues.exists(queue, { signal }))
}

function isConnectionSeen({ connection, management, signal }: ProofTask): Promise<boolean> {
  return seenWithin(connectionSeenWithinMs, signal, async () => {
    const listed = await management.connections.list({ signal })
    return listed.some(({ warrenId }) => warrenId === connection.id)
  })
}

async function seenWithin(
  patienceMs: number,
  signal: AbortSignal,
  look: () => Promise<boolean>,
): Promise<boolean> {
  const endAt = performance.now() + patienceMs
  for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, 500)) {
    if (await look()) return true
    if (performance.now() >= endAt) return false
    await pause(pauseMs, signal)
    signal.throwIfAborted()
  }
}

const wayOut =
  'Give the address of the management API of this broker with --management-url, MANAGEMENT_URL, or managementUrl in connect().'

async function otherBroker({ connection, management, address, signal }: ProofTask): Promise<ManagementError> {
  const { endpoint } = connection
  const api = `management API at ${placeOf(address)}${await describeFound(management, signal)}`
  const broker = `the broker at ${describeEndpoint(endpoint)}`
  // Since 4.3 nothing is found in a vhost that the user may not access.
  const vhosts = await management.vhosts.list({ signal }).catch(() => undefined)
  if (vhosts?.every(({ name }) => name !== endpoint.vhost))
    return refusal(
      `Nothing proves that the ${api} belongs to ${broker}: the user "${address.username}" sees no vhost "${endpoint.vhost}" there. ` +
        'If it is the right API, give the user permissions on the vhost (rabbitmqctl set_permissions).',
    )
  return refusal(`The ${api} does not belong to ${broker}: a queue declared over AMQP does not appear in it.`)
}

function notProved({ connection, address }: ProofTask): ManagementError {
  const { username } = connection.endpoint
  return refusal(
    `Nothing proves that the management API at ${placeOf(address)} belongs to the broker at ${describeEndpoint(connection.endpoint)}: ` +
      `"${username}" may not declare a queue to look for, and the API does not list its connection. ` +
      `Let "${username}" declare queues named warren.proof.*, or let "${address.username}" see its connections (tag "monitoring").`,
  )
}

/** What answers there, as it says itself; nothing where it does not say. */
async function describeFound(management: Management, signal: AbortSignal): Promise<string> {
  try {
    const { product, version, clusterName } = await management.overview({ signal })
    return ` (${product} ${version}${clusterName === undefined ? '' : `, cluster ${clusterName}`})`
  } catch {
    return ''
  }
}

function refusal(what: string): ManagementError {
  return new ManagementError({ code: 'MANAGEMENT_NOT_PROVED', message: `${what} ${wayOut}` })
}
