import { hostname } from 'node:os'
import type { IncomingMessage } from './broker/amqp/message.ts'
import type { Session } from './broker/amqp/session.ts'
import type { Management } from './broker/management/open-management.ts'
import { checkCausesOptions, checkPeekOptions, checkRedriveChoice } from './check-dead-letter-options.ts'
import type { CausesOptions, LookChoice, PeekOptions, RedriveChoice } from './dead-letter-options.ts'
import { type LookReport, lookAtQueue } from './recovery/look/look-at-queue.ts'
import { seenInPart } from './recovery/look/seen-in-part.ts'
import { messageFilter } from './recovery/read/filter-message.ts'
import { type CauseGroup, createCauseGroups } from './recovery/read/group-causes.ts'
import { parseFilter } from './recovery/read/parse-filter.ts'
import { parseGroupBy } from './recovery/read/parse-group-by.ts'
import { type DeadLetter, readDeadLetter } from './recovery/read/read-dead-letter.ts'
import type { Receipt } from './recovery/receipt/receipt.ts'
import type { Destination, TypeRoutes } from './recovery/redrive/plan-redrive.ts'
import { previewRedrive, type RedrivePreview } from './recovery/redrive/preview-redrive.ts'
import { startRedrive } from './recovery/redrive/redrive.ts'
import type { RedriveOptions } from './recovery/redrive/redrive-options.ts'
import type { QueueFlow } from './topology/queue-flow.ts'

/** The messages of one dead-letter queue: see why they are dead, and put them back. Nothing here loses one. */
export interface DeadLetters {
  /** The dead-letter queue, by its name on the broker. */
  readonly queue: string
  /** Shows messages from the head of the queue, and leaves them in it. Rejects where it could not look for as many. */
  peek(options?: PeekOptions): Promise<readonly DeadLetter[]>
  /**
   * Why they are dead, the most frequent cause first. Reads the whole queue unless `count` is said, and rejects where it
   * could not.
   */
  causes(options?: CausesOptions): Promise<readonly CauseGroup[]>
  /** What a re-drive with these options would do, read from every message and without moving one. */
  preview(options?: RedriveChoice): Promise<RedrivePreview>
  /** Puts messages back: publish, confirm, acknowledge, in this order. The receipt accounts for every one. */
  redrive(options?: RedriveChoice): Promise<Receipt>
}

/** What the dead letters of a queue are reached by. */
export interface DeadLetterLine {
  readonly queue: string
  readonly consuming: Session
  readonly publishing: Session
  readonly management: Management
  readonly flows: readonly QueueFlow[]
  /** Where messages of a type go whose origin nothing else tells. */
  readonly types: TypeRoutes | undefined
}

export function openDeadLetters(line: DeadLetterLine): DeadLetters {
  return {
    queue: line.queue,
    peek: (options = {}) => peek(line, options),
    causes: (options = {}) => causes(line, options),
    preview: async (options = {}) => previewRedrive(redriveOptions('preview()', line, options)),
    redrive: async (options = {}) => {
      const { where } = options
      const receipt = await startRedrive(redriveOptions('redrive()', line, options)).receipt
      return { ...receipt, ...(where !== undefined && { where }) }
    },
  }
}

async function peek(line: DeadLetterLine, options: PeekOptions): Promise<readonly DeadLetter[]> {
  checkPeekOptions(options)
  const { count = 20, bodyBytes = 1024, where } = options
  const isWanted = selection(where)
  const found: DeadLetter[] = []
  const report = await lookAtQueue({
    ...lookOptions(line, options),
    // A filter has to look past those that do not match; without one only those shown are touched.
    ...(where === undefined && { count }),
    onMessage: (message) => {
      if (found.length < count && isWanted(message)) found.push(readDeadLetter(message, bodyBytes))
    },
  })
  if (found.length < count) refusePart(line, report)
  return found
}

async function causes(line: DeadLetterLine, options: CausesOptions): Promise<readonly CauseGroup[]> {
  checkCausesOptions(options)
  const isWanted = selection(options.where)
  const { groupBy = [] } = options
  const fields = typeof groupBy === 'string' ? [groupBy] : groupBy
  const groups = createCauseGroups(
    fields.length === 0 ? { splits: 'all' } : { groupBy: parseGroupBy(fields.join(',')) },
  )
  const report = await lookAtQueue({
    ...lookOptions(line, options),
    ...(options.count !== undefined && { count: options.count }),
    onMessage: (message) => {
      if (isWanted(message)) groups.add(message)
    },
  })
  refusePart(line, report)
  return groups.list()
}

/** A list has no place to say that it is not all, and whoever counts it would count wrong. */
function refusePart({ queue }: DeadLetterLine, { isWhole, seen, present }: LookReport): void {
  if (isWhole) return
  throw seenInPart({
    queue,
    unknown: `only ${seen} of ${present} are known`,
    wayOut: 'Ask for fewer (count), or let them be held for longer (maxHoldMs) where the broker does.',
  })
}

function lookOptions({ queue, consuming, publishing, management }: DeadLetterLine, options: LookChoice) {
  const { acceptDeliveryLimit, maxHoldMs, by = hostname() } = options
  return { queue, consuming, publishing, management, acceptDeliveryLimit, maxHoldMs, by }
}

function redriveOptions(owner: string, line: DeadLetterLine, choice: RedriveChoice): RedriveOptions {
  checkRedriveChoice(owner, choice)
  const { to = 'origin', where, trustHeaders = false, acceptDeliveryLimit: _, by: __, ...rest } = choice
  return {
    ...lookOptions(line, choice),
    ...rest,
    ...{ flows: line.flows, types: line.types, trustHeaders },
    to: destinationOf(to),
    ...(where !== undefined && { select: selection(where) }),
  }
}

function destinationOf(to: NonNullable<RedriveChoice['to']>): Destination {
  return typeof to === 'string' ? { kind: to } : { kind: 'queue', queue: to.queue }
}

function selection(where: string | undefined): (message: IncomingMessage) => boolean {
  return where === undefined ? () => true : messageFilter(parseFilter(where), Date.now())
}
