import type { IncomingMessage } from '../../broker/amqp/message.ts'
import { readProperty } from '../../wire/properties.ts'
import { type LookReport, lookAtQueue } from '../look/look-at-queue.ts'
import type { LookPermission } from '../look/prepare-look.ts'
import { readOriginAddress } from '../read/read-origin.ts'
import { digestPlan } from './digest-plan.ts'
import type { KeepReason } from './plan-redrive.ts'
import type { RedriveOptions } from './redrive-options.ts'
import { prepareRules } from './redrive-rules.ts'
import { nameAddress } from './redrive-tally.ts'

/** What a re-drive would do, read from every message and without moving one. */
export interface RedrivePreview {
  /** The queue. */
  readonly queue: string
  /** Messages in the queue. */
  readonly present: number
  /** Would move if there was no limit. */
  readonly matching: number
  /** Messages that would move. */
  readonly moving: number
  /** Messages looked at; fewer than are present if messages could not be held that long, or others took some. */
  readonly seen: number
  /** All that were present were looked at. */
  readonly isWhole: boolean
  /** Where they would go. */
  readonly targets: readonly PreviewTarget[]
  /** Why messages would stay, and how many of each. */
  readonly keeping: readonly { readonly reason: KeepReason; readonly count: number }[]
  /** Targets that would refuse them, and why. */
  readonly refusals: readonly string[]
  /** False: the broker's routes could not be read, so it is not known where messages would arrive. */
  readonly areRoutesProved: boolean
  /** How many of the messages that were chosen by key are no longer in the queue. */
  readonly missing: number
  /** Names the plan: the same request and the same plan have the same, wherever it is made. 64 hexadecimal digits. */
  readonly digest: string
}

/** One place where messages would go. */
export interface PreviewTarget {
  /** The address. */
  readonly target: string
  /** Messages that would go there. */
  readonly count: number
  /** What the address was read from. */
  readonly why: string
  /** The queues that the address leads to. */
  readonly queues: readonly string[]
  /** Where a message goes if it fails there again. */
  readonly secondFailure: string | undefined
  /**
   * Of these, this many were first published with another routing key than their consumers will see. The header
   * `x-original-routing-key` keeps it.
   */
  readonly keyChanges: number
  /** Such keys, the first four. */
  readonly keysBefore: readonly string[]
}

const mostKeysBefore = 4

/**
 * Plans a re-drive with exactly the rules it would use. Costs one look, unless `look` shows what another one has seen.
 * `onMoving` is called for each message that would move.
 * @example
 * ```ts
 * const { moving } = await previewRedrive(compileRedrive({ queue: 'orders.dlq' }, { ...broker, by: 'ann' }))
 * ```
 */
export async function previewRedrive(
  options: RedriveOptions & Pick<LookPermission, 'mostAheadMs' | 'endAtMs'>,
  onMoving: (message: IncomingMessage) => void = () => {},
  look: (onMessage: (message: IncomingMessage) => void) => Promise<LookReport> = (onMessage) =>
    lookAtQueue({ ...options, onMessage }),
): Promise<RedrivePreview> {
  const rules = await prepareRules(options, { id: '', atMs: 0 })
  const targets = new Map<string, PreviewTarget>()
  const keeping = new Map<KeepReason, number>()
  let matching = 0
  let moving = 0
  const { present, seen, isWhole } = await look((message) => {
    const step = rules.plan(message)
    if (step.kind === 'publish') matching += 1
    const reason = step.kind === 'keep' ? step.reason : 'over-the-limit'
    if (step.kind === 'keep' || moving >= rules.limit) {
      keeping.set(reason, (keeping.get(reason) ?? 0) + 1)
      return
    }
    moving += 1
    onMoving(message)
    const target = nameAddress(step)
    const name = `${target}\0${step.why}`
    const known = targets.get(name) ?? newTarget({ target, why: step.why }, rules.prove(step))
    targets.set(name, { ...known, ...countKey(known, { before: keyBefore(message), now: step.key }) })
  })
  const preview = {
    queue: options.queue,
    present,
    matching,
    moving,
    seen,
    isWhole,
    targets: [...targets.values()],
    keeping: [...keeping].map(([reason, count]) => ({ reason, count })),
    refusals: rules.refusals(),
    areRoutesProved: rules.areRoutesProved,
    missing: options.missingKeys?.() ?? 0,
  }
  return { ...preview, digest: digestPlan(preview, options) }
}

function newTarget(
  named: Pick<PreviewTarget, 'target' | 'why'>,
  proof: ReturnType<Awaited<ReturnType<typeof prepareRules>>['prove']>,
): PreviewTarget {
  const { queues = [], secondFailure } = proof?.isSafe ? proof : {}
  return { ...named, count: 0, queues, secondFailure, keyChanges: 0, keysBefore: [] }
}

function keyBefore({ properties }: IncomingMessage): string | undefined {
  return readOriginAddress(readProperty(properties, 'headers'))?.key
}

function countKey(
  { count, keyChanges, keysBefore }: PreviewTarget,
  { before, now }: { readonly before: string | undefined; readonly now: string },
): Pick<PreviewTarget, 'count' | 'keyChanges' | 'keysBefore'> {
  if (before === undefined || before === now) return { count: count + 1, keyChanges, keysBefore }
  const isNew = keysBefore.length < mostKeysBefore && !keysBefore.includes(before)
  return {
    count: count + 1,
    keyChanges: keyChanges + 1,
    keysBefore: isNew ? [...keysBefore, before] : keysBefore,
  }
}
