import type { PreviewTarget, RedrivePreview } from 'warrenmq'
import { formatCounted } from 'warrenmq/operations'

/** What is different in a plan that somebody has read, in sentences; the most important first. */
export function describePlanChange(read: RedrivePreview, now: RedrivePreview): readonly string[] {
  return [
    ...describeMoving(read, now),
    ...describeTargets(read, now),
    ...newOnes(read.refusals, now.refusals).map((refusal) => `A target is refused now: ${refusal}`),
    ...describeMissing(read, now),
    ...(read.areRoutesProved && !now.areRoutesProved ? ['The routes cannot be proved now.'] : []),
    ...(read.isWhole && !now.isWhole ? ['Not all messages could be looked at.'] : []),
  ]
}

function describeMoving(read: RedrivePreview, now: RedrivePreview): readonly string[] {
  const more = now.moving - read.moving
  if (more === 0) return []
  const counted = `${formatCounted(Math.abs(more), `${more > 0 ? 'more' : 'fewer'} message`)} would move`
  return [`${counted}: ${now.moving} instead of ${read.moving}.`]
}

function describeTargets(read: RedrivePreview, now: RedrivePreview): readonly string[] {
  const before = countsOf(read.targets)
  const after = countsOf(now.targets)
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((target) => {
    const [then = 0, count = 0] = [before.get(target), after.get(target)]
    if (then === 0) return [`${count} would go to "${target}", which the plan did not have.`]
    if (count === 0) return [`None would go to "${target}" any more.`]
    return isOtherRoute(target, read, now) ? [`Messages take another way to "${target}" now.`] : []
  })
}

function countsOf(targets: readonly PreviewTarget[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { target, count } of targets) counts.set(target, (counts.get(target) ?? 0) + count)
  return counts
}

function isOtherRoute(target: string, read: RedrivePreview, now: RedrivePreview): boolean {
  const routesOf = ({ targets }: RedrivePreview): string =>
    JSON.stringify(
      targets
        .filter((each) => each.target === target)
        .map(({ why, queues, secondFailure }) => JSON.stringify([why, queues.toSorted(), secondFailure]))
        .toSorted(),
    )
  return routesOf(read) !== routesOf(now)
}

function describeMissing(
  { missing: before }: RedrivePreview,
  { missing }: RedrivePreview,
): readonly string[] {
  return missing > before ? [`No longer in the queue: ${missing} of the chosen messages.`] : []
}

function newOnes(before: readonly string[], now: readonly string[]): readonly string[] {
  return now.filter((each) => !before.includes(each))
}
