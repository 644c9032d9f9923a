import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ProfileName } from '../../packages/warrenmq/src/embedded/model/profile.ts'
import { createVhost } from '../support/use-broker.ts'
import { arbitraryProgram } from './arbitrary-program.ts'
import { checkProgram, judgeProgram } from './check-program.ts'
import type { Verdict } from './compare.ts'
import { type Lane, openLane } from './lane.ts'
import { profileOf } from './profile-of.ts'
import type { Program } from './program.ts'
import { renderDifference } from './render-difference.ts'
import { shrinkProgram } from './shrink-program.ts'
import { createTurns } from './turns.ts'

// The seed is known to pass; another one explores. What a seed finds is a fault of the model until shown otherwise.
const seed = Number(process.env.WARREN_CONFORMANCE_SEED ?? 1)
const programCount = Number(process.env.WARREN_CONFORMANCE_PROGRAMS ?? 1000)
/** Programs that are at work at once, and those that may be under way, most of them waiting for an expiry. */
const turnCount = Number(process.env.WARREN_CONFORMANCE_TURNS ?? 6)
const laneCount = Math.min(programCount, Number(process.env.WARREN_CONFORMANCE_LANES ?? 24))
const reportedAtMost = 5

test(
  `${programCount} random programs (seed ${seed}) see the same on the embedded broker and on RabbitMQ`,
  async ({ skip }) => {
    const vhosts = await Promise.all(Array.from({ length: laneCount }, createVhost))
    const profile = profileOf(vhosts[0]!.version)
    try {
      if (!profile) skip(`There is no profile for RabbitMQ ${vhosts[0]!.version}.`)
      else {
        const turns = createTurns(turnCount)
        const lanes = await Promise.all(vhosts.map((vhost) => openLane(vhost, profile, turns)))
        await runAll(lanes, profile)
        for (const lane of lanes) await lane.close()
      }
    } finally {
      for (const vhost of vhosts) await vhost.drop()
    }
  },
  programCount * 30_000,
)

async function runAll(lanes: readonly Lane[], profile: ProfileName): Promise<void> {
  // Some cannot be judged, because the machine was too busy for their expiries. Others stand in.
  const numRuns = Math.ceil(programCount * 1.1) + 5
  const programs = fc.sample(arbitraryProgram(profile), { numRuns, seed })
  const counts: Record<Verdict['kind'], number> = { same: 0, different: 0, 'too-slow': 0 }
  const different: number[] = []
  const isDone = () => counts.same >= programCount || different.length >= reportedAtMost
  let next = 0
  await Promise.all(
    lanes.map(async (lane) => {
      for (let at = next++; at < programs.length && !isDone(); at = next++) {
        const { kind } = await judgeProgram(programs[at]!, lane)
        counts[kind] += 1
        if (kind === 'different') different.push(at)
      }
    }),
  )
  const reports = []
  for (const at of different.sort((a, b) => a - b)) reports.push(await explain(at, programs[at]!, lanes[0]!))
  const summary = JSON.stringify(counts)
  expect(reports.join('\n\n'), `The brokers differ: ${summary}`).toBe('')
  expect(counts.same, `Too few could be judged: ${summary}`).toBeGreaterThanOrEqual(programCount)
}

async function explain(at: number, program: Program, lane: Lane): Promise<string> {
  const isFailing = async (candidate: Program) => (await judgeProgram(candidate, lane)).kind === 'different'
  const smallest = await shrinkProgram(program, isFailing)
  return `Program ${at} of seed ${seed}, shrunk:\n${renderDifference(smallest, await checkProgram(smallest, lane))}`
}
