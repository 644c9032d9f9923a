import type { AmqpChannel } from '../broker/amqp/channel.ts'
import { type Clock, realClock } from '../clock.ts'
import { ConnectionError, WarrenError } from '../errors.ts'
import type { DisruptiveStep, ImpossibleStep, Leftover, Plan, SafeStep } from '../topology/plan-topology.ts'
import type { ChannelSource } from './channel-source.ts'
import { type ExecutableStep, executeStep, type StepOutcome } from './execute-step.ts'
import { type LeftoverChoice, type LeftoverRemoval, removeLeftover } from './remove-leftover.ts'

/** How far `applyPlan` may go. */
export interface ApplyOptions {
  /**
   * Also remove bindings that the topology no longer has. @default false
   * @example { allowDisruptive: true }
   */
  readonly allowDisruptive?: boolean
  /**
   * What becomes of wait queues that the topology no longer has. @default 'keep'
   * @example { leftovers: 'remove-empty' }
   */
  readonly leftovers?: LeftoverChoice
  /**
   * Looks at the broker anew; without it nothing that is left over is removed.
   * @example { observe: () => observeTopology(management, { vhost: '/' }) }
   */
  readonly observe?: LeftoverRemoval['observe']
  /**
   * Steps at once, each on a channel of its own. @default 4
   * @example { concurrency: 1 }
   */
  readonly concurrency?: number
  /**
   * How long a broker that went away may take to come back before the rest of the steps fail. @default 10 s
   * @example { reconnectMs: 30_000 }
   */
  readonly reconnectMs?: number
  /**
   * Begins no more steps.
   * @example { signal: AbortSignal.timeout(60_000) }
   */
  readonly signal?: AbortSignal
  /**
   * Called with the result of each step.
   * @example { onResult: ({ step }) => console.log(step.kind) }
   */
  readonly onResult?: (result: StepResult) => void
}

/** What came of one step of a plan. */
export type StepResult =
  | {
      /** The step. */
      readonly step: ExecutableStep
      /** It was done, it was kept for a reason, or it was skipped because it is disruptive. */
      readonly outcome: StepOutcome | { readonly kind: 'skipped' }
    }
  | {
      /** The step. */
      readonly step: ExecutableStep
      /** Why it failed. */
      readonly outcome: { readonly kind: 'failed'; readonly error: WarrenError }
    }

/** What came of a plan, step by step. Nothing is left out: a step was done, kept, skipped, or failed. */
export interface ApplyReport {
  /** What came of each step. */
  readonly results: readonly StepResult[]
  /** Steps that were done. */
  readonly done: number
  /** Leftovers that were kept. */
  readonly kept: number
  /** Disruptive steps, which were not allowed. */
  readonly skipped: number
  /** Steps that failed. */
  readonly failed: number
  /** Told again, because apply cannot do anything about them. */
  readonly impossible: readonly ImpossibleStep[]
  /** Everything of the plan was done. What is left over and was kept does not count. */
  readonly isComplete: boolean
}

/**
 * Carries out a plan: the safe steps, and the disruptive ones if allowed. A failed step does not stop the others.
 * Many processes may apply the same plan at once; each finds what the others made.
 * @example
 * ```ts
 * const { failed } = await applyPlan(session, plan, { allowDisruptive: false })
 * ```
 */
export async function applyPlan(
  source: ChannelSource,
  plan: Plan,
  options: ApplyOptions = {},
): Promise<ApplyReport> {
  const results: StepResult[] = []
  const tell = (result: StepResult) => {
    results.push(result)
    options.onResult?.(result)
  }
  // A binding needs both its ends, and a removal should come after what takes its place.
  const things = plan.safe.filter(({ kind }) => kind !== 'add-binding')
  const bindings = plan.safe.filter(({ kind }) => kind === 'add-binding')
  const phases = [things, bindings, options.allowDisruptive === true ? plan.disruptive : []]
  const patient = waitBriefly(source, options.reconnectMs ?? 10_000)
  for (const steps of phases) await runPhase({ source: patient, steps, options, tell })
  await runLeftovers({ source: patient, steps: plan.leftovers, options, tell })
  if (options.allowDisruptive !== true) {
    for (const step of plan.disruptive) tell({ step, outcome: { kind: 'skipped' } })
  }
  return summarise(results, plan)
}

/**
 * A session waits for a broker that went away as long as it takes; a person who applies a plan does not. Once the wait
 * was in vain, the steps that are left fail at once.
 */
function waitBriefly(source: ChannelSource, waitMs: number, clock: Clock = realClock): ChannelSource {
  let lost: ConnectionError | undefined
  const giveUp = (reject: (error: Error) => void) => () => {
    lost ??= new ConnectionError({
      code: 'CONNECTION_TIMEOUT',
      message: `The broker went away and did not come back within ${waitMs} ms. Once it is up, apply again: finished steps stay.`,
    })
    reject(lost)
  }
  return {
    openChannel: () =>
      new Promise((resolve, reject) => {
        if (lost !== undefined) return reject(lost)
        const callOff = clock.schedule(waitMs, giveUp(reject))
        source.openChannel().then(resolve, reject).finally(callOff)
      }),
  }
}

interface Phase<Step = SafeStep | DisruptiveStep> {
  readonly source: ChannelSource
  readonly steps: readonly Step[]
  readonly options: ApplyOptions
  readonly tell: (result: StepResult) => void
}

async function runPhase({ source, steps, options, tell }: Phase): Promise<void> {
  const open = [...steps].reverse()
  const lanes = Math.min(options.concurrency ?? 4, steps.length)
  await Promise.all(Array.from({ length: lanes }, () => runLane({ source, open, options, tell })))
}

async function runLane({
  source,
  open,
  options,
  tell,
}: Omit<Phase, 'steps'> & { open: (SafeStep | DisruptiveStep)[] }): Promise<void> {
  let channel: AmqpChannel | undefined
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    options.signal?.throwIfAborted()
    try {
      // The broker closes a channel on every refusal, so the next step may need a fresh one.
      channel = channel?.isOpen ? channel : await source.openChannel()
      tell({ step, outcome: await executeStep(channel, step) })
    } catch (error) {
      if (!(error instanceof WarrenError)) throw error
      tell({ step, outcome: { kind: 'failed', error } })
    }
  }
  await channel?.close()
}

/** Last of all, when everything that takes their place is there. */
async function runLeftovers({ source, steps, options, tell }: Phase<Leftover>): Promise<void> {
  const open = [...steps]
  const runNext = async (): Promise<void> => {
    for (let step = open.shift(); step !== undefined; step = open.shift()) {
      options.signal?.throwIfAborted()
      try {
        tell({ step, outcome: await treatLeftover(step, { source, options }) })
      } catch (error) {
        if (!(error instanceof WarrenError)) throw error
        tell({ step, outcome: { kind: 'failed', error } })
      }
    }
  }
  await Promise.all(Array.from({ length: options.concurrency ?? 4 }, runNext))
}

async function treatLeftover(
  step: Leftover,
  { source, options }: Pick<Phase, 'source' | 'options'>,
): Promise<StepOutcome> {
  const { leftovers = 'keep', observe, allowDisruptive = false } = options
  if (leftovers === 'keep') return { kind: 'kept', reason: 'its removal was not requested' }
  if (observe === undefined) return { kind: 'kept', reason: 'there is no management API to check it with' }
  return removeLeftover(step, { source, observe, isOldReleaseGone: allowDisruptive })
}

function summarise(results: readonly StepResult[], { impossible }: Plan): ApplyReport {
  const count = (kind: StepResult['outcome']['kind']) =>
    results.filter(({ outcome }) => outcome.kind === kind).length
  const counts = {
    done: count('done'),
    kept: count('kept'),
    skipped: count('skipped'),
    failed: count('failed'),
  }
  return {
    results,
    ...counts,
    impossible,
    isComplete: counts.skipped + counts.failed + impossible.length === 0,
  }
}
