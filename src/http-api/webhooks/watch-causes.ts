import type { IncomingMessage } from '../../broker/amqp/message.ts'
import { RecoveryError } from '../../errors.ts'
import { causeOf } from '../../message/fingerprint-cause.ts'
import { lookAtQueue } from '../../recovery/look-at-queue.ts'
import { readProperty } from '../../wire/properties.ts'
import type { ApiContext } from '../api-context.ts'
import type { Cause } from '../contract.ts'
import { describeBody } from '../describe-message.ts'

export interface NewCause {
  readonly cause: Cause
  readonly messages: number
  /** The body of the first one, masked as the config says; undefined where it cannot be. */
  readonly sample: string | undefined
}

/** How many messages from the head one look reads; a cause that only stands behind them is not seen. */
const mostLookedAt = 5_000
const mostSampleCharacters = 4_096
/** Beyond this many causes of a queue no more are told: its errors have no pattern. */
const mostCauses = 1_000

interface KnownQueue {
  readonly causes: Set<string>
  messages: number
}

/** Finds causes that a queue did not have before. What it has at the first look is known. */
export class CauseWatch {
  readonly #context: Pick<ApiContext, 'line' | 'turns' | 'tasks' | 'settings'>
  readonly #queues = new Map<string, KnownQueue>()

  constructor(context: Pick<ApiContext, 'line' | 'turns' | 'tasks' | 'settings'>) {
    this.#context = context
  }

  /** Looks where messages came in. Tells nothing where a task has the queue, or it may not be looked at. */
  async look(queue: string, messages: number): Promise<readonly NewCause[]> {
    const known = this.#queues.get(queue)
    if (known && messages <= known.messages) {
      known.messages = messages
      return []
    }
    try {
      const found = messages === 0 ? new Map<string, NewCause>() : await this.#readCauses(queue, known)
      this.#queues.set(queue, { causes: new Set([...(known?.causes ?? []), ...found.keys()]), messages })
      return known && known.causes.size < mostCauses ? [...found.values()] : []
    } catch (error) {
      if (error instanceof RecoveryError) return []
      throw error
    }
  }

  /** Those that are not known. */
  async #readCauses(queue: string, known: KnownQueue | undefined): Promise<Map<string, NewCause>> {
    const { line, turns, tasks } = this.#context
    const found = new Map<string, NewCause>()
    const onMessage = (message: IncomingMessage): void => {
      const cause = causeOf(readProperty(message.properties, 'headers'))
      if (known?.causes.has(cause.id)) return
      const before = found.get(cause.id)
      const sample = before ? before.sample : this.#readSample(message)
      found.set(cause.id, { cause, messages: (before?.messages ?? 0) + 1, sample })
    }
    tasks.refuseIfBusy(queue)
    await turns.look(queue, () =>
      lookAtQueue({ ...line, queue, by: 'a webhook', count: mostLookedAt, onMessage }),
    )
    return found
  }

  #readSample(message: IncomingMessage): string | undefined {
    const { maskedPaths } = this.#context.settings
    return describeBody(message, { isShown: true, maskedPaths }).body?.text.slice(0, mostSampleCharacters)
  }
}
