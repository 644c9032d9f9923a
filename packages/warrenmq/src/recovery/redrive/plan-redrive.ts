import { type EncodedHeaders, headerText } from '../../message/header-values.ts'
import { readDeaths } from '../../message/read-deaths.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import { type Origin, readOriginAddress, readOriginQueue } from '../read/read-origin.ts'

/** Where dead letters are to go. */
export type Destination =
  /** The queue each failed in, through the default exchange: no other consumer sees it again. */
  | { readonly kind: 'origin' }
  /** The wait queue of the queue it failed in. */
  | { readonly kind: 'retry' }
  /** The exchange and key it was first published with. */
  | { readonly kind: 'exchange' }
  /** One queue for all, through the default exchange. */
  | { readonly kind: 'queue'; readonly queue: string }
  | {
      readonly kind: 'address'
      /** One exchange for all; empty for the default exchange. */
      readonly exchange: string
      /** The key that all are published with. */
      readonly key: string
    }
  /** By the message's type, from a map. */
  | { readonly kind: 'type'; readonly routes: TypeRoutes }

/** Where messages go by their type. */
export interface TypeRoutes {
  /** Where the type is read first. @default 'MessageType' */
  readonly header?: string
  /** Exchange and key, by type. */
  readonly routes: Readonly<Record<string, { readonly exchange: string; readonly key: string }>>
}

/** What is to be done with one dead letter. Nothing else decides where a message goes. */
export type RedriveStep =
  | { readonly kind: 'publish'; readonly exchange: string; readonly key: string; readonly why: string }
  | { readonly kind: 'keep'; readonly reason: KeepReason }

/** Why a re-drive left a message in its queue. */
export type KeepReason =
  | 'not-selected'
  | 'over-the-limit'
  | 'origin-unknown'
  /** Its headers name none of the queues whose dead letters come here; anybody can write them. */
  | 'origin-foreign'
  | 'type-unknown'
  | 'no-wait-queue'
  | 'target-refused'
  | 'too-large'
  | 'unreadable'
  /** It was put back by this very re-drive and is dead again. */
  | 'came-back'
  /** It was put back by a re-drive that this one continues, and is dead again. */
  | 'dead-again'
  | 'stopped'

export interface RedriveQuestion {
  readonly headers: EncodedHeaders
  readonly to: Destination
  readonly deadLetterQueue: string
  readonly flows: readonly QueueFlow[]
  /** Tells the address of a message whose origin its headers do not tell. */
  readonly types?: TypeRoutes | undefined
  /** Whether a message of this queue cannot have failed there. @default it can have failed anywhere */
  readonly isForeign?: ((queue: string) => boolean) | undefined
}

/** Where one dead letter goes, and why. */
export function planRedrive(question: RedriveQuestion): RedriveStep {
  switch (question.to.kind) {
    case 'queue':
    case 'address':
      return planToNamed(question.to)!
    case 'type':
      return planByType(question.headers, question.to.routes)
    case 'exchange':
      return planToExchange(question)
    case 'origin':
      return planToOrigin(question)
    case 'retry':
      return planToRetry(question)
  }
}

/** Where every dead letter goes, whatever its headers tell; undefined where they tell it. */
export function planToNamed(to: Destination): RedriveStep | undefined {
  if (to.kind === 'queue') return { kind: 'publish', exchange: '', key: to.queue, why: 'named' }
  if (to.kind !== 'address') return undefined
  return { kind: 'publish', exchange: to.exchange, key: to.key, why: 'named' }
}

function planToOrigin(question: RedriveQuestion): RedriveStep {
  const origin = readOrigin(question)
  if (!origin) return planWithoutOrigin(question)
  if (question.isForeign?.(origin.queue)) return keep('origin-foreign')
  return { kind: 'publish', exchange: '', key: origin.queue, why: origin.source }
}

function planToRetry(question: RedriveQuestion): RedriveStep {
  const origin = readOrigin(question)
  if (!origin) return keep('origin-unknown')
  if (question.isForeign?.(origin.queue)) return keep('origin-foreign')
  const retry = flowOf(question, origin.queue)?.redrive.retry
  return retry ? { kind: 'publish', ...retry, why: origin.source } : keep('no-wait-queue')
}

function planToExchange(question: RedriveQuestion): RedriveStep {
  const address = readOriginAddress(question.headers, passagesOf(question))
  if (!address) return planWithoutOrigin(question)
  return { kind: 'publish', exchange: address.exchange, key: address.key, why: address.source }
}

/** The last resort, because a type says where such messages go and not where this one was. */
function planWithoutOrigin({ headers, types }: RedriveQuestion): RedriveStep {
  const step = types ? planByType(headers, types) : undefined
  return step?.kind === 'publish' ? { ...step, why: `its type, ${step.why}` } : keep('origin-unknown')
}

function planByType(headers: EncodedHeaders, { header = 'MessageType', routes }: TypeRoutes): RedriveStep {
  const type = headerText(headers, header)
  if (type !== undefined) {
    const route = Object.hasOwn(routes, type) ? routes[type] : undefined
    return route ? { kind: 'publish', ...route, why: `${header} ${type}` } : keep('type-unknown')
  }
  const key = readDeaths(headers).deaths[0]?.routingKeys[0]
  const route = Object.values(routes).find((each) => each.key === key)
  return route ? { kind: 'publish', ...route, why: `x-death key ${key}` } : keep('type-unknown')
}

/** The queue that a dead letter failed in, as it is re-driven by. */
export function readOrigin({
  headers,
  flows,
  deadLetterQueue,
}: Pick<RedriveQuestion, 'headers' | 'flows' | 'deadLetterQueue'>): Origin | undefined {
  return readOriginQueue(headers, passagesOf({ flows, deadLetterQueue }))
}

/** A wait queue shows up in x-death as well, but no consumer works there. */
function passagesOf({
  flows,
  deadLetterQueue,
}: Pick<RedriveQuestion, 'flows' | 'deadLetterQueue'>): (queue: string) => boolean {
  return (queue) => queue === deadLetterQueue || flows.some(({ waitQueues }) => waitQueues.includes(queue))
}

function flowOf({ flows }: RedriveQuestion, queue: string): QueueFlow | undefined {
  return flows.find((flow) => flow.queue === queue)
}

function keep(reason: KeepReason): RedriveStep {
  return { kind: 'keep', reason }
}
