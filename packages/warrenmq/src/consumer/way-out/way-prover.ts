import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import { realClock } from '../../clock.ts'
import { ConsumerError } from '../../errors.ts'
import { pause } from '../run/pause.ts'
import { proveWayOut, type WayProof } from './prove-way-out.ts'

/**
 * RabbitMQ shows a quorum queue before it can take messages, and a dead letter that arrives in between is lost: 8 to
 * 30 of 60 if it was rejected as soon as the queue was visible, none a quarter of a second later.
 */
const settlesWithinMs = 2_000

/** Proves the way out of one queue, each time that a consumer begins with it. */
export class WayProver {
  readonly #proof: WayProof
  #wasBroken = false

  constructor(proof: WayProof) {
    this.#proof = proof
  }

  get queue(): string {
    return this.#proof.flow.queue
  }

  /** As `proveWayOut`. A way that was broken is believed when it is still there a moment later. */
  async prove(channel: AmqpChannel): Promise<ConsumerError | undefined> {
    try {
      const doubt = await proveWayOut(channel, this.#proof)
      if (!this.#wasBroken) return doubt
      await pauseWhileOpen(channel)
      const still = await proveWayOut(channel, this.#proof)
      this.#wasBroken = false
      return still
    } catch (error) {
      if (error instanceof ConsumerError && error.code === 'WAY_OUT_BROKEN') this.#wasBroken = true
      throw error
    }
  }
}

async function pauseWhileOpen(channel: AmqpChannel): Promise<void> {
  const gone = new AbortController()
  const stop = channel.events.on('closed', () => gone.abort())
  await pause(settlesWithinMs, { clock: realClock, signal: gone.signal })
  stop()
}
