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
  readonly queue: string
  readonly present: number
  /** Would move if there was no limit. */
  readonly matching: number
  readonly moving: number
  /** Looked at; fewer than are present where messages could not be held for so long, or others took some. */
  readonly seen: number
  /** All that were present were looked at. */
  readonly isWhole: boolean
  readonly targets: readonly PreviewTarget[]
  readonly keeping: readonly { readonly reason: KeepReason; readonly count: number }[]
  readonly refusals: readonly string[]
  /** False: nobody could tell what the broker's routes are, so where messages would arrive is not known. */
  readonly areRoutesProved: boolean
  /** Of the messages that were chosen by key, so many are no longer in the queue. */
  readonly missing: number
  /** Names the plan: the same request and the same plan have the same, wherever it is made. 64 hexadecimal digits. */
  readonly digest: string
}

export interface PreviewTarget {
  readonly target: string
  readonly count: number
  /** What the address was read from. */
  readonly why: string
  readonly queues: readonly string[]
  /** Where a message goes that fails there again. */
  readonly secondFailure: string | undefined
  /**
   * Of these, so many were first published with another routing key than their consumers will see. The header
   * `x-original-routing-key` keeps it.
   */
  readonly keyChanges: number
  /** Such keys, the first four. */
  readonly keysBefore: readonly string[]
}

const mostKeysBefore = 4

/**
 * Plans a re-drive with the very rules it would run by. Costs one look, unless `look` shows what another one has seen.
 * `onMoving` is told each that would move.
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
