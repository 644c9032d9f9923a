import {
  ApiError,
  type Clock,
  causeOf,
  type IncomingMessage,
  RecoveryError,
  readProperty,
  realClock,
} from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import type { Cause } from '../contract/contract.ts'
import { lookInTime } from '../guards/look-in-time.ts'
import { trackedLook } from '../guards/tracked-look.ts'
import { describeBody } from '../show/describe-message.ts'
import { decideCauseLook, type KnownDepth } from './decide-cause-look.ts'

export interface NewCause {
  readonly cause: Cause
  readonly messages: number
  /** The body of the first one, masked as the config says; undefined where it cannot be, or nobody wants it. */
  readonly sample: string | undefined
}

const mostSampleCharacters = 4_096
/** Beyond this many causes of a queue no more are told: its errors have no pattern. */
const mostCauses = 1_000

interface KnownQueue extends KnownDepth {
  readonly causes: ReadonlySet<string>
}

interface Depth {
  readonly messages: number
  /** Somebody who is told wants to see a message. */
  readonly hasSamples: boolean
}

interface Look {
  readonly found: ReadonlyMap<string, NewCause>
  readonly seen: number
}

interface CauseWatchContext extends Pick<ApiContext, 'broker' | 'turns'> {
  readonly tasks: Pick<ApiContext['tasks'], 'refuseIfBusy'>
  readonly settings: Pick<ApiContext['settings'], 'maskedPaths' | 'lookTimeoutMs'>
  /** No look begins or goes on when whoever is told of it is gone. */
  readonly signal?: AbortSignal | undefined
}

/** Finds causes that a queue did not have before. What it has at the first look is known. */
export class CauseWatch {
  readonly #context: CauseWatchContext
  readonly #clock: Pick<Clock, 'now'>
  readonly #queues = new Map<string, KnownQueue>()

  constructor(context: CauseWatchContext, clock: Pick<Clock, 'now'> = realClock) {
    this.#context = context
    this.#clock = clock
  }

  /**
   * Looks at a queue where messages came in, at as much of it as a look has time for. Tells nothing where a task has the
   * queue, or it may not be looked at; the next look has what this one has missed.
   */
  async look(queue: string, { messages, hasSamples }: Depth): Promise<readonly NewCause[]> {
    const known = this.#queues.get(queue)
    if (known && known.causes.size >= mostCauses) return []
    const begunAtMs = this.#clock.now()
    const decision = decideCauseLook(known, { messages, nowMs: begunAtMs })
    if (known && decision === 'nothing-new') this.#queues.set(queue, { ...known, messages })
    // It is owed, also where others take messages away before it comes to that.
    if (decision === 'later') this.lookAgain(queue)
    if (decision !== 'look') return []
    try {
      const isEmpty = messages === 0
      const { found, seen } = isEmpty ? nothing : await this.#readCauses(queue, { known, hasSamples })
      const causes = new Set([...(known?.causes ?? []), ...found.keys()])
      const endedAtMs = this.#clock.now()
      this.#queues.set(queue, { causes, messages: seen, endedAtMs, tookMs: endedAtMs - begunAtMs })
      return known ? [...found.values()] : []
    } catch (error) {
      this.lookAgain(queue)
      if (error instanceof RecoveryError || isBusy(error)) return []
      throw error
    }
  }

  /** Other messages may stand there now, however many they are: what was put back may have died of something else. */
  lookAgain(queue: string): void {
    const known = this.#queues.get(queue)
    if (known) this.#queues.set(queue, { ...known, messages: 0 })
  }

  /** Those that are not known, as far as they are told. */
  async #readCauses(
    queue: string,
    { known, hasSamples }: { readonly known: KnownQueue | undefined; readonly hasSamples: boolean },
  ): Promise<Look> {
    const { broker, turns, tasks, settings, signal } = this.#context
    const most = mostCauses - (known?.causes.size ?? 0)
    const isShown = hasSamples && known !== undefined // the first look tells nothing
    const found = new Map<string, NewCause>()
    const onMessage = (message: IncomingMessage): void => {
      const cause = causeOf(readProperty(message.properties, 'headers'))
      if (known?.causes.has(cause.id)) return
      const before = found.get(cause.id)
      if (!before && found.size >= most) return
      const sample = before || !isShown ? before?.sample : this.#readSample(message)
      found.set(cause.id, { cause, messages: (before?.messages ?? 0) + 1, sample })
    }
    tasks.refuseIfBusy(queue)
    const { look, soFar } = trackedLook({ ...broker, queue, by: 'a webhook', onMessage })
    const looker = { name: 'a webhook', role: 'viewer' } as const
    const timeoutMs = settings.lookTimeoutMs
    const { seen } = await lookInTime(turns, { queue, looker, timeoutMs, signal, soFar }, look)
    return { found, seen }
  }

  #readSample(message: IncomingMessage): string | undefined {
    const { maskedPaths } = this.#context.settings
    const { body } = describeBody(message, { isShown: true, maskedPaths })
    // Copied: a slice would keep all of the body in memory.
    return body ? Buffer.from(body.text.slice(0, mostSampleCharacters)).toString() : undefined
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'API_BUSY'
}

const nothing: Look = { found: new Map(), seen: 0 }
