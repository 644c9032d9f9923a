import type { Publisher } from '../publisher/publisher.ts'
import { confirmDepth } from './confirm-depth.ts'
import { countConsumers, depthOf } from './count-queue.ts'
import type { RedriveCourse } from './redrive-course.ts'
import { DepthGate } from './redrive-gate.ts'
import { prepareRules, type RedriveRules } from './redrive-rules.ts'
import { StageGate } from './redrive-stages.ts'
import { RedriveWatch } from './redrive-watch.ts'

const defaultCanaryWaitMs = 10_000

/** What stays the same over all passes of a run. */
export interface RedriveTools {
  readonly rules: RedriveRules
  readonly publisher: Publisher
  readonly watch: RedriveWatch
  readonly stages: StageGate | undefined
  readonly depths: DepthGate | undefined
}

/** Counts the queue, reads the broker, and settles what the run goes by. */
export async function prepareTools(course: RedriveCourse, publisher: Publisher): Promise<RedriveTools> {
  const { id, tally, startedAtMs: atMs } = course
  const { consuming: session, queue, stopWhenDead: deadLimit, canary } = course.options
  const depth = await depthOf(session, queue)
  course.otherConsumers = await countConsumers(session, queue)
  const rules = await prepareRules(course.options, { id, atMs })
  course.present = depth || (await confirmDepth({ session, publisher, queue, rules }))
  const watch = new RedriveWatch({
    ...{ session, publisher, queue, rules, canary, deadLimit },
    ...{ redriveId: id, tally, recent: course.recent, present: course.present },
  })
  return { rules, publisher, watch, stages: openStages(course, watch), depths: openDepths(course) }
}

function openStages(course: RedriveCourse, watch: RedriveWatch): StageGate | undefined {
  if (!watch.isOn) return undefined
  return new StageGate({
    canary: course.options.canary,
    check: (isStageEnd) => lookForDead(course, { watch, isStageEnd }),
    onRoom: () => course.pass?.pump(),
    onStop: () => course.stop('came-back-dead'),
    onError: (error) => course.pass?.fail(error),
  })
}

/** Do messages that were moved come back? */
export async function lookForDead(
  course: RedriveCourse,
  { watch, isStageEnd }: { watch: RedriveWatch; isStageEnd: boolean },
): Promise<'go-on' | 'stop'> {
  const { waitMs = defaultCanaryWaitMs } = course.options.canary ?? {}
  course.isWatching = true
  try {
    if (isStageEnd) await watch.wait(waitMs, () => course.stopped !== undefined)
    return course.stopped ? 'go-on' : await watch.judge()
  } finally {
    course.isWatching = false
  }
}

function openDepths(course: RedriveCourse): DepthGate | undefined {
  const { stopWhenTargetAbove: limit, publishing: session } = course.options
  if (limit === undefined) return undefined
  return new DepthGate({
    ...{ session, limit },
    onRoom: () => course.pass?.pump(),
    onFull: () => course.stop('target-too-deep'),
  })
}
