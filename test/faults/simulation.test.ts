import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

// The whole system in one world (see sim/README.md). Each seed runs twice, on every profile.

/** CI has a few; before a release there are many more. */
const seeds = Number(process.env.WARREN_SIM_SEEDS ?? 60)

interface SimRun {
  readonly seed: number
  readonly profile: string
  readonly faults: readonly object[]
  readonly violations: readonly { readonly rule: string; readonly detail: string }[]
}

async function runSim(script: string, args: readonly string[]): Promise<string> {
  const sim = spawn(process.execPath, [script, ...args, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pieces: Buffer[] = []
  sim.stdout.on('data', (piece: Buffer) => pieces.push(piece))
  await once(sim, 'close')
  return Buffer.concat(pieces).toString('utf8')
}

test(`${seeds} seeds keep every promise on three versions, and do the same thing twice`, async () => {
  const { runs } = JSON.parse(await runSim('sim/run.mjs', ['--seeds', `1-${seeds}`])) as { runs: SimRun[] }

  const broken = runs.filter(({ violations }) => violations.length > 0)
  expect(broken.map(({ seed, profile, violations }) => ({ seed, profile, violations }))).toEqual([])
  expect(runs).toHaveLength(3 * seeds)
  expect(runs.some(({ faults }) => faults.length > 0)).toBe(true)
}, 900_000)

test.each([
  'a returned publish counts as confirmed',
  'a message is dropped after its last attempt',
  'every death in x-death counts as an attempt',
])(
  'a planted bug is found: %s',
  async (name) => {
    const answer = await runSim('sim/run-bugs.mjs', ['--seeds', '60', '--match', name])

    const { bugs } = JSON.parse(answer) as { bugs: { name: string; rule?: string }[] }
    expect(bugs).toEqual([expect.objectContaining({ name, rule: expect.any(String) })])
  },
  600_000,
)

test('the page of the proof says what the results say', async () => {
  const check = spawn(process.execPath, ['sim/write-proof.mjs', '--check'], { stdio: 'inherit' })

  expect(await once(check, 'close')).toEqual([0, null])
})
