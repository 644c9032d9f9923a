import { followOnRabbit, runOnEmbedded, type Verdict } from './compare.ts'
import type { Lane } from './lane.ts'
import type { Program } from './program.ts'

let programCount = 0

/** Runs a program on both brokers. A run that was too slow to be judged is tried again. */
export async function checkProgram(program: Program, lane: Lane): Promise<Verdict> {
  for (let attempt = 1; ; attempt += 1) {
    const verdict = await runOnBoth(program, lane)
    if (verdict.kind !== 'too-slow' || attempt === maxAttempts) return verdict
  }
}

const maxAttempts = 4

/** Real brokers settle some things by chance, e.g. which of two queues is faster: a difference must come each time. */
export async function judgeProgram(program: Program, lane: Lane): Promise<Verdict> {
  let verdict = await checkProgram(program, lane)
  for (let more = 2; more > 0 && verdict.kind === 'different'; more -= 1) {
    verdict = await checkProgram(program, lane)
  }
  return verdict
}

async function runOnBoth(program: Program, lane: Lane): Promise<Verdict> {
  programCount += 1
  const prefix = `p${programCount}.`
  await lane.turns.take()
  try {
    const script = await runOnEmbedded(program, { lane, prefix })
    return await followOnRabbit(script, { lane, prefix })
  } finally {
    lane.turns.give()
  }
}
