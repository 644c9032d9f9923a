import type { Violation } from './check/evidence.ts'
import type { SimArguments } from './parse-arguments.ts'
import { runSeed, type SeedChoice, type SeedResult } from './run-seed.ts'

/** What is told of one seed. */
export interface RunReport extends Omit<SeedResult, 'story'> {
  readonly story: readonly string[] | undefined
  /** The numbers of the faults that are enough for the violation; undefined where there is none. */
  readonly needed: readonly number[] | undefined
}

type RunArguments = Pick<SimArguments, 'kinds' | 'only' | 'hasStacks' | 'isStory' | 'isTwice' | 'isShrunk'>

/** Runs a seed, compares its hash with that of a second run, and makes a failure small. */
export async function runOne(
  place: Pick<SeedChoice, 'seed' | 'profile'>,
  { kinds, only, hasStacks, isStory, isTwice, isShrunk }: RunArguments,
): Promise<RunReport> {
  const choice = { ...place, kinds, only, hasStacks }
  const first = await runSeed(choice)
  const violations: Violation[] = [...first.violations]
  if (isTwice) {
    const second = await runSeed(choice)
    if (second.hash !== first.hash)
      violations.push({ rule: 'same-seed-same-hash', detail: `${first.hash}, then ${second.hash}` })
  }
  if (first.violations.length === 0 || !isShrunk)
    return { ...first, violations, story: isStory ? first.story : undefined, needed: undefined }
  const needed = await shrink(choice, first)
  const small = await runSeed({ ...choice, only: needed })
  return { ...first, violations, story: small.story, needed }
}

/** Leaves out one fault after the other, as long as the first violation stays. */
async function shrink(choice: SeedChoice, { faults, violations }: SeedResult): Promise<readonly number[]> {
  const { rule } = violations[0]!
  let needed = choice.only ?? faults.map((_, index) => index)
  for (const index of [...needed]) {
    const without = needed.filter((each) => each !== index)
    const result = await runSeed({ ...choice, only: without })
    if (result.violations.some((violation) => violation.rule === rule)) needed = without
  }
  return needed
}
