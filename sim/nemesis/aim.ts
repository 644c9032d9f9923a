import type { SimProcess } from '../world/sim-process.ts'
import type { Fault } from './faults.ts'

/**
 * What an aimed fault waits for: the beginning of a deed, a copy that it makes, a dead letter that it takes away, or a
 * record that a server has written into a stream, and that is not confirmed yet.
 */
export type AimedMoment = 'deed' | 'copy' | 'ack' | 'record'

/** The faults that wait for their moment. */
export class Aim {
  readonly #waiting: { readonly fault: Fault; left: number }[] = []
  readonly #strike: (fault: Fault, doer: SimProcess | undefined) => void
  #doer: SimProcess | undefined

  constructor(strike: (fault: Fault, doer: SimProcess | undefined) => void) {
    this.#strike = strike
  }

  wait(fault: Fault): void {
    this.#waiting.push({ fault, left: fault.nth })
  }

  /** `doer` begins to move dead letters. */
  deedBegins(doer: SimProcess): void {
    this.#doer = doer
    this.comes('deed')
  }

  /** A moment comes; of a record it is known who wrote it. */
  comes(moment: AimedMoment, writer?: SimProcess): void {
    for (const waiting of [...this.#waiting]) {
      if (waiting.fault.aim !== moment) continue
      waiting.left -= 1
      if (waiting.left > 0) continue
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      this.#strike(waiting.fault, writer ?? this.#doer)
    }
  }

  /** No fault strikes any more. */
  end(): void {
    this.#waiting.length = 0
  }
}
