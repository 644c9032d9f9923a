import { setTimeout as sleep } from 'node:timers/promises'
import type { Lane } from './lane.ts'
import type { Step } from './plan-step.ts'
import { type Program, plainChannel } from './program.ts'
import type { Observation } from './session.ts'

/** What the embedded broker did, step by step: what was sent, and what had come in after it. */
export interface Script {
  readonly step: Step
  readonly expected: Observation
}

export async function runOnEmbedded(
  program: Program,
  { lane: { embedded, onEmbedded: session }, prefix }: { lane: Lane; prefix: string },
): Promise<readonly Script[]> {
  const script: Script[] = []
  await session.begin(prefix)
  for (const operation of program) {
    const step = session.plan(operation)
    if (step.kind === 'wait') await embedded.clock.advance(step.ms, { held: 'pass' })
    else await session.send(step)
    await embedded.settled({ held: 'pass' })
    script.push({ step, expected: session.observe() })
    await session.reopen()
  }
  await session.clear()
  return script
}

export type Verdict =
  | { readonly kind: 'same' }
  /** The broker was so slow that something may have expired before its time. */
  | { readonly kind: 'too-slow' }
  | ({ readonly kind: 'different' } & Difference)

/** The first step after which a client sees something else on the real broker. */
export interface Difference {
  readonly at: number
  readonly step: Step
  readonly expected: Observation
  readonly actual: Observation
}

/** Sends the same to a real broker and waits each time until its clients see what the embedded one's saw. */
export async function followOnRabbit(
  script: readonly Script[],
  { lane: { onRabbit: session, turns }, prefix }: { lane: Lane; prefix: string },
): Promise<Verdict> {
  const drift = createDrift()
  await session.begin(prefix)
  try {
    for (const [at, { step, expected }] of script.entries()) {
      drift.note(step)
      if (step.kind === 'wait') await turns.pause(step.ms)
      else await session.send(step)
      const isLate = drift.isTooMuch()
      await awaitObservation(session.observe, expected)
      await sleep(breathAfter(step))
      if (at === script.length - 1 && isSame(session.observe(), expected)) await sleep(quietMs)
      const actual = session.observe()
      if (!isSame(actual, expected)) {
        return isLate ? { kind: 'too-slow' } : { kind: 'different', at, step, expected, actual }
      }
      await session.reopen()
    }
    return { kind: 'same' }
  } finally {
    await session.clear()
  }
}

/** A busy machine may take its time; what is right comes at once. */
const patienceMs = Number(process.env.WARREN_CONFORMANCE_PATIENCE_MS ?? 2000)
/** What travels unseen, as a dead letter does from queue to queue, must not be overtaken by the next step. */
const breathMs = 4
const longBreathMs = 20

function breathAfter(step: Step): number {
  if (step.kind === 'wait' || step.kind === 'http' || step.kind === 'close-connection') return longBreathMs
  if (step.kind === 'publish') return step.on === plainChannel ? longBreathMs : breathMs
  const isLong = step.kind === 'method' && mayMoveUnseen.includes(step.method.name)
  return isLong ? longBreathMs : breathMs
}

const mayMoveUnseen = [
  'basic.nack',
  'basic.reject',
  'basic.recover',
  'basic.cancel',
  'channel.close',
  'tx.commit',
]

/** Whatever comes in this time after the end should not have come. */
const quietMs = 20
/** Real time may run ahead of the virtual clock by this much before a short expiry can be misjudged. */
const toleratedDriftMs = 600

function createDrift(): { note(step: Step): void; isTooMuch(): boolean } {
  let startedAt: number | undefined
  let virtualMs = 0
  return {
    note: (step) => {
      if (startsExpiry(step)) startedAt ??= performance.now()
      if (step.kind === 'wait' && startedAt !== undefined) virtualMs += step.ms
    },
    isTooMuch: () => startedAt !== undefined && performance.now() - startedAt - virtualMs > toleratedDriftMs,
  }
}

/** Before the first of these there is nothing whose time runs. */
function startsExpiry(step: Step): boolean {
  if (step.kind === 'method' && step.method.name === 'queue.declare') {
    return step.method.arguments.some(({ name }) => name === 'x-expires')
  }
  return step.kind === 'publish'
}

async function awaitObservation(observe: () => Observation, expected: Observation): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!isSame(observe(), expected) && performance.now() < deadline) await sleep(1)
}

function isSame(a: Observation, b: Observation): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
