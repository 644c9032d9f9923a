import { asTimerMs } from '../clock.ts'
import { PublishError } from '../errors.ts'
import { clearTimeout, dateNow, setTimeout } from '../world.ts'
import type { PendingPublish } from './pending-publish.ts'
import type { PublishLimits } from './publish-options.ts'

/** Watches the signals and deadlines that single publishes have, beside the deadline of their publisher. */
export interface GiveUps {
  /** From now on until it has its result. */
  watch(publish: PendingPublish, limits: PublishLimits): void
}

export function createGiveUps(giveUp: (publish: PendingPublish, cause: PublishError) => void): GiveUps {
  // One listener for all publishes of a signal: to add one more costs a look at all that are there.
  const bySignal = new Map<AbortSignal, Set<PendingPublish>>()

  function onAbort({ target }: Event): void {
    const signal = target as AbortSignal
    const publishes = bySignal.get(signal) ?? []
    bySignal.delete(signal)
    for (const publish of publishes) giveUp(publish, abortedBy(signal))
  }

  function join(signal: AbortSignal, publish: PendingPublish): void {
    const publishes = bySignal.get(signal)
    if (publishes) {
      publishes.add(publish)
      return
    }
    bySignal.set(signal, new Set([publish]))
    signal.addEventListener('abort', onAbort, { once: true })
  }

  function leave(signal: AbortSignal, publish: PendingPublish): void {
    const publishes = bySignal.get(signal)
    if (!publishes?.delete(publish) || publishes.size > 0) return
    bySignal.delete(signal)
    signal.removeEventListener('abort', onAbort)
  }

  return {
    watch: (publish, { signal, endsAtMs }) => {
      const timer =
        endsAtMs === undefined
          ? undefined
          : setTimeout(
              () => giveUp(publish, new PublishError('PUBLISH_DEADLINE')),
              asTimerMs(Math.max(0, endsAtMs - dateNow())),
            )
      if (signal) join(signal, publish)
      publish.release = () => {
        clearTimeout(timer)
        if (signal) leave(signal, publish)
      }
    },
  }
}

/** Why a publish with these limits is not to be sent any more, if it is not. */
export function overBy({ signal, endsAtMs }: PublishLimits): PublishError | undefined {
  if (signal?.aborted) return abortedBy(signal)
  return endsAtMs !== undefined && endsAtMs <= dateNow() ? new PublishError('PUBLISH_DEADLINE') : undefined
}

function abortedBy({ reason }: AbortSignal): PublishError {
  return new PublishError('PUBLISH_ABORTED', { cause: reason })
}
