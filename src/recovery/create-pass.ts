import type { AmqpChannel } from '../broker/amqp/channel.ts'
import { decidePrefetch } from './decide-prefetch.ts'
import type { RedriveCourse } from './redrive-course.ts'
import { type PassTask, type PublishGate, RedrivePass } from './redrive-pass.ts'
import { progressOf } from './redrive-progress.ts'
import type { RedriveRefusals } from './redrive-refusals.ts'
import { queuesOf } from './redrive-rules.ts'
import type { RedriveTools } from './redrive-tools.ts'

export interface PassParts extends Pick<PassTask, 'surplus' | 'onFirst'> {
  readonly course: RedriveCourse
  readonly tools: RedriveTools
  readonly refusals: RedriveRefusals
  readonly channel: AmqpChannel
  /** One message at a time: what the broker closes the channel for takes no other with it. */
  readonly isOneByOne: boolean
  /** For each of these half as many are sent ahead: what goes back with a line that breaks has one return less left. */
  readonly losses: number
}

/** A channel that the broker closed is opened again after ever longer waits. */
const mostClosures = 8

/** The next pass of a run, over what is left of the messages that were there at its start. */
export function createPass(parts: PassParts): RedrivePass {
  const { course, tools, refusals, channel, surplus, isOneByOne, losses, onFirst } = parts
  const { rules, publisher } = tools
  const { queue, onKept, onFailed, onProgress } = course.options
  const { tally, recent, digest, pace } = course
  const window = isOneByOne ? { ...course.window, messages: 1 } : course.window
  return new RedrivePass({
    ...{ channel, publisher, queue, rules, tally, window, recent, surplus, digest, pace, onKept, onFirst },
    count: course.expected(rules.aside),
    prefetch: halve(
      decidePrefetch({
        ...{ window: course.window.messages, limit: rules.limit, averageBytes: rules.averageBytes },
      }),
      losses,
    ),
    maxHoldMs: rules.maxHoldMs,
    consumerTag: consumerTagOf(course.id),
    onFailed: (message, failure) => {
      if (failure.kind === 'refused') refusals.add(queuesOf(rules, failure))
      if (failure.closedChannel) refusals.addClosure()
      // The next pass leaves them where they are, and the rest goes on.
      if (failure.largestBytes !== undefined) rules.takeAtMost(failure.largestBytes)
      if (isOneByOne && refusals.closures >= mostClosures) course.pass?.cancel()
      onFailed?.(message, failure)
    },
    onProgress: onProgress ? () => onProgress(progressOf(course)) : () => {},
    gates: gatesOf(tools),
  })
}

/** So often, and never to less than one. */
export function halve(count: number, times: number): number {
  return Math.max(1, Math.floor(count / 2 ** times))
}

function gatesOf({ rules, stages, depths }: RedriveTools): readonly PublishGate[] {
  const byDepth: PublishGate | undefined = depths && {
    take: (step) => depths.take(queuesOf(rules, step)),
    settled: () => depths.settled(),
  }
  return [byDepth, stages].filter((gate) => gate !== undefined)
}

/** The first consumer of a re-drive has this tag, so that it can be found at the broker. */
export function consumerTagOf(redriveId: string): string {
  return `warren-redrive-${redriveId}`
}
