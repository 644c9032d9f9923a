import type { Handler } from '../../packages/warrenmq/src/consumer/handler.ts'
import { murmurHash } from '../../packages/warrenmq/src/message/murmur-hash.ts'
import type { QueueDeclaration } from '../../packages/warrenmq/src/topology/declaration.ts'

const retry = { delays: [20], maxAttempts: 3 }

export type StormQueue =
  | 'storm.warren'
  | 'storm.ratatoskr'
  | 'storm-bus'
  | 'freeflow.storm'
  | 'storm.isolated'

/** One queue of every layout, so that each fault is suffered by all of them at once. */
export const stormTopology: { readonly queues: Readonly<Record<StormQueue, QueueDeclaration>> } = {
  queues: {
    'storm.warren': { layout: 'warren', retry },
    'storm.ratatoskr': { layout: 'ratatoskr', retry },
    'storm-bus': { layout: 'event-bus', retry },
    'freeflow.storm': { layout: 'freeflow', retry },
    'storm.isolated': { layout: 'isolated', retry },
  },
}

export const stormQueues: readonly StormQueue[] = Object.keys(stormTopology.queues) as StormQueue[]

/** `WARREN_STORM=10` makes it ten times as long. */
export const stormFactor: number = Number(process.env.WARREN_STORM ?? 1)

/** Counting deliveries as poison is left out: every cut and kill is one. */
export const stormOptions: {
  readonly concurrency: number
  readonly prefetch: number
  readonly poisonLimit: false
} = { concurrency: 10, prefetch: 30, poisonLimit: false }

/** Four attempts in ten fail, the same ones in every run: chosen by the id and the attempt. */
export function stormHandler(handled: (id: string) => void): Handler {
  return async ({ id }, { attempt }) => {
    await new Promise((resolve) => setImmediate(resolve))
    if (fails(id!, attempt)) throw new Error('bad luck')
    handled(id!)
  }
}

function fails(id: string, attempt: number): boolean {
  return murmurHash(Buffer.from(`${id}#${attempt}`), 7) % 10 < 4
}

/** Does it fail all of its attempts? */
export const isDoomed = (id: string): boolean => [1, 2, 3].every((attempt) => fails(id, attempt))
