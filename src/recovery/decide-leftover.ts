import { headerInteger } from '../message/header-values.ts'
import { type RawProperties, readProperty } from '../wire/properties.ts'

export interface ReturnQuestion {
  /** As the message was when it was moved. */
  readonly before: RawProperties
  /** As one is that looks like it and is in the queue now. */
  readonly now: RawProperties
  /** The queue counts into a message how often it took it back. True of quorum queues. */
  readonly isCounting: boolean
}

const counters = ['x-delivery-count', 'x-acquired-count']

/** Whether a message can be one that was moved and came back; one that never came back since is another that is alike. */
export function mayBeReturned({ before, now, isCounting }: ReturnQuestion): boolean {
  if (!isCounting) return true
  const [was, is] = [readCounts(before), readCounts(now)]
  const isCounted = is.some((count) => count !== undefined)
  return !isCounted || is.some((count = 0, index) => count > (was[index] ?? 0))
}

function readCounts(properties: RawProperties): readonly (number | undefined)[] {
  const headers = readProperty(properties, 'headers')
  return counters.map((name) => headerInteger(headers, name))
}
