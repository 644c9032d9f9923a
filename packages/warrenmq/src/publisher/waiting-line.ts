import { createFifo } from '../fifo.ts'
import type { PendingPublish } from './pending-publish.ts'

/** Publishes that wait for the window or the connection, in their order. */
export interface WaitingLine {
  size(): number
  /** The next one might find no room, unless it is larger than half of what may wait. */
  isFull(): boolean
  hasRoomFor(publish: PendingPublish): boolean
  push(publish: PendingPublish): void
  /** Puts one in front of all others. */
  unshift(publish: PendingPublish): void
  peek(): PendingPublish | undefined
  shift(): PendingPublish | undefined
  /** Takes one out, wherever it stands. */
  remove(publish: PendingPublish): void
}

export function createWaitingLine(most: { readonly messages: number; readonly bytes: number }): WaitingLine {
  // One that is taken out of the middle stays as a gap until it is first: to close gaps costs as much as there is behind.
  const line = createFifo<PendingPublish>()
  let gaps = 0
  let bytes = 0

  function skipGaps(): void {
    for (let first = line.peek(); first?.isOver; first = line.peek()) {
      line.shift()
      gaps -= 1
    }
  }

  return {
    size() {
      return line.size() - gaps
    },
    isFull() {
      return line.size() - gaps >= most.messages || bytes * 2 > most.bytes
    },
    hasRoomFor: (publish) => line.size() - gaps < most.messages && bytes + publish.bytes <= most.bytes,
    push: (publish) => {
      line.push(publish)
      bytes += publish.bytes
    },
    unshift: (publish) => {
      line.unshift(publish)
      bytes += publish.bytes
    },
    peek: () => line.peek(),
    shift: () => {
      const publish = line.shift()
      bytes -= publish?.bytes ?? 0
      skipGaps()
      return publish
    },
    remove: (publish) => {
      publish.isOver = true
      bytes -= publish.bytes
      gaps += 1
      skipGaps()
    },
  }
}
