import type { Channel } from '../model/channel/channel.ts'
import { flushConfirms } from '../model/channel/publish.ts'
import type { FaultPlan } from './faults.ts'

/** What a channel tells its publisher, after the faults have had their say. */
export interface ChannelConfirms {
  /** Sends what is due. */
  flush(): void
  /** The channel ends: what is late is never sent, for its number may soon be another's. */
  end(): void
}

/** What the confirms of a channel need of its connection. */
export interface ConfirmHost {
  readonly faults: FaultPlan
  cutAfterFlush(): void
}

/** Faults strike publish by publish, so they come before several publishes are confirmed in one word. */
export function createChannelConfirms(
  model: Channel,
  { faults, cutAfterFlush }: ConfirmHost,
): ChannelConfirms {
  const late = new Map<number, () => void>()

  function flush(): void {
    const isCut = !model.isClosed && takeFates()
    flushConfirms(model)
    if (isCut) cutAfterFlush()
  }

  /** Leaves in `confirmed` what is to be sent now. Gives true when the connection is to be cut after that. */
  function takeFates(): boolean {
    const due = model.confirmed
    model.confirmed = []
    for (const tag of due) {
      const fate = faults.nextConfirm()
      if (fate.kind === 'nack') model.refused.push(tag)
      else if (fate.kind === 'send') {
        model.confirmed.push(tag)
        // Those after it are never confirmed.
        if (faults.isCutAt('after-publish-confirmed')) return true
      } else {
        model.withheld.add(tag)
        model.waitedFor.delete(tag)
        if (fate.kind === 'delay')
          late.set(
            tag,
            faults.clock.schedule(fate.delayMs, () => sendLate(tag)),
          )
      }
    }
    return false
  }

  function sendLate(tag: number): void {
    late.delete(tag)
    model.withheld.delete(tag)
    model.peer.confirm(tag, false)
    if (faults.isCutAt('after-publish-confirmed')) cutAfterFlush()
  }

  return {
    flush,
    end: () => {
      for (const callOff of late.values()) callOff()
      late.clear()
    },
  }
}
