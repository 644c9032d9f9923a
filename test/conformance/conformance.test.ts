import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ProfileName } from '../../src/embedded/model/profile.ts'
import { createVhost } from '../support/use-broker.ts'
import { arbitraryProgram } from './arbitrary-program.ts'
import { checkProgram, isDifferent, type Judge } from './check-program.ts'
import type { Program } from './program.ts'
import { shrinkProgram } from './shrink-program.ts'

/** CI runs a thousand programs per version; a run at the desk a few dozen. */
const programCount = Number(process.env.WARREN_CONFORMANCE_PROGRAMS ?? 60)
const seed = Number(process.env.WARREN_CONFORMANCE_SEED ?? 1)
const lanes = Number(process.env.WARREN_CONFORMANCE_LANES ?? 6)
const profileOf: Readonly<Record<string, ProfileName>> = { '3.10': '3.10', '4.0': '4.0', '4.3': '4.3' }

test(
  `${programCount} random programs (seed ${seed}) see the same on the embedded broker and on RabbitMQ`,
  async ({ skip }) => {
    const vhosts = await Promise.all(Array.from({ length: lanes }, createVhost))
    const profile = profileOf[vhosts[0]!.version.split('.').slice(0, 2).join('.')]
    try {
      if (!profile) skip(`There is no profile for RabbitMQ ${vhosts[0]!.version}.`)
      else await runAll(vhosts.map(({ url, vhost }) => ({ url, vhost, profile })))
    } finally {
      for (const vhost of vhosts) await vhost.drop()
    }
  },
  programCount * 30_000,
)

async function runAll(judges: readonly Judge[]): Promise<void> {
  const programs = fc.sample(arbitraryProgram, { numRuns: programCount, seed })
  const different: Program[] = []
  let next = 0
  await Promise.all(
    judges.map(async (judge) => {
      for (let at = next++; at < programs.length && different.length === 0; at = next++) {
        if (await isDifferent(programs[at]!, judge)) different.push(programs[at]!)
      }
    }),
  )
  if (different.length === 0) return
  const judge = judges[0]!
  const smallest = await shrinkProgram(different[0]!, (program) => isDifferent(program, judge))
  const verdict = await checkProgram(smallest, judge)
  const report = { seed, program: smallest, verdict }
  expect.fail(`The brokers differ:\n${JSON.stringify(report, showBigInts, 1)}`)
}

function showBigInts(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
