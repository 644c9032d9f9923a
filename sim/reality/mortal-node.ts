import type { RabbitNode } from '../../test/support/start-rabbit-node.ts'
import { settle } from './settle.ts'

/** A node that may be killed, paused and given an alarm, one thing at a time. */
export interface MortalNode {
  readonly node: RabbitNode
  readonly isUp: boolean
  /** Ends it with kill -9 and starts it again. Gives false, and does nothing, if it is busy with something else. */
  crash(downMs: number): boolean
  pause(ms: number): boolean
  alarm(ms: number): boolean
  /** Settles when all that was begun is over, and it runs. */
  settled(): Promise<void>
}

/** It is to do something between two deaths: now a little, then more. */
const shortestLivesMs = [1_200, 1_500, 1_500, 2_000, 6_000]
const mostAlarms = 3

export function createMortalNode(node: RabbitNode): MortalNode {
  let busy: Promise<void> | undefined
  let isUp = true
  let bornAt = performance.now()
  let lives = 0
  let alarms = 0
  const failures: unknown[] = []
  const begin = (deed: () => Promise<void>): true => {
    busy = deed()
      .catch((error: unknown) => void failures.push(error))
      .finally(() => {
        busy = undefined
      })
    return true
  }
  return {
    node,
    get isUp() {
      return isUp && busy === undefined
    },
    crash(downMs) {
      const shortestLifeMs = shortestLivesMs[lives % shortestLivesMs.length]!
      if (busy || performance.now() - bornAt < shortestLifeMs) return false
      lives += 1
      isUp = false
      return begin(async () => {
        await node.kill9()
        await settle(downMs)
        await node.start()
        isUp = true
        bornAt = performance.now()
      })
    },
    pause(ms) {
      if (busy) return false
      return begin(async () => {
        await node.pause()
        await settle(ms)
        await node.resume()
      })
    },
    alarm(ms) {
      // Two runs of rabbitmqctl cost as much as a start, so there are few.
      if (busy || alarms >= mostAlarms) return false
      alarms += 1
      return begin(async () => {
        await node.rabbitmqctl('set_vm_memory_high_watermark', 'absolute', '1MB')
        await settle(ms)
        await node.rabbitmqctl('set_vm_memory_high_watermark', '0.4')
      })
    },
    async settled() {
      while (busy) await busy
      if (failures.length > 0) throw new AggregateError(failures, 'The node did not do what it was told')
    },
  }
}
