import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { type ConsumerError, WarrenError } from '../../errors.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import { decideWayOut, type ManagedWay } from './decide-way-out.ts'
import { lookByAmqp } from './look-by-amqp.ts'
import { planWayOut, type WayStep } from './plan-way-out.ts'
import { unprovedWay, wayBroken } from './unproved-way.ts'
import type { WayLook } from './way-look.ts'

export interface WayProof {
  readonly flow: QueueFlow
  readonly session: Session
  /** Undefined: there is no management API to ask. */
  readonly look: WayLook | undefined
  /** Does not begin without a proof. */
  readonly requireProof: boolean
}

/**
 * Proves that a failed message arrives where it should, before any message is taken. If the dead-letter exchange or a
 * binding is missing, a rejected message vanishes without a trace, so a consumer does not start then. No message is
 * sent for this proof. Returns the doubts if the consumer may start without proof.
 */
export async function proveWayOut(channel: AmqpChannel, proof: WayProof): Promise<ConsumerError | undefined> {
  const { flow, session, requireProof } = proof
  const steps = planWayOut(flow)
  if (steps.length === 0) return undefined
  const openChannel = () => session.connection?.openChannel() ?? session.openChannel()
  const seen = await lookByAmqp({ steps, declared: flow.declared ?? [], openChannel })
  const { managed, why } = await lookFurther(channel, steps, proof)
  const verdict = decideWayOut({ queue: flow.queue, steps, seen: { ...seen, managed } })
  if (verdict.kind === 'broken') throw wayBroken(flow.queue, verdict.gaps)
  if (verdict.kind === 'proved') return undefined
  const error = unprovedWay({ queue: flow.queue, doubts: verdict.doubts, why, requireProof })
  if (requireProof) throw error
  return error
}

interface Looked {
  readonly managed: ManagedWay | undefined
  /** Why there is nothing to see, in words that end a sentence. */
  readonly why: string
}

async function lookFurther(
  channel: AmqpChannel,
  steps: readonly WayStep[],
  { flow, session, look }: WayProof,
): Promise<Looked> {
  if (!look) return { managed: undefined, why: 'there is no management API to ask' }
  const gone = new AbortController()
  const stop = channel.events.on('closed', () => gone.abort(channel.closeReason))
  try {
    const way = { vhost: session.vhost, queue: flow.queue, steps, signal: gone.signal }
    return { managed: await look.look(way), why: '' }
  } catch (error) {
    if (!channel.isOpen) throw error
    return { managed: undefined, why: whyUnseen(error) }
  } finally {
    stop()
  }
}

function whyUnseen(error: unknown): string {
  if (error instanceof WarrenError) return error.message.replace(/\.$/, '')
  return 'the management API did not answer in time'
}
