import type { SimProcess } from '../world/sim-process.ts'
import type { Fault } from './faults.ts'

/** What an aimed fault waits for: the beginning of a deed, a copy that it makes, or a dead letter that it takes away. */
export type AimedMoment = 'deed' | 'copy' | 'ack'

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

  comes(moment: AimedMoment): void {
    for (const waiting of [...this.#waiting]) {
      if (waiting.fault.aim !== moment) continue
      waiting.left -= 1
      if (waiting.left > 0) continue
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      this.#strike(waiting.fault, this.#doer)
    }
  }

  /** No fault strikes any more. */
  end(): void {
    this.#waiting.length = 0
  }
}
