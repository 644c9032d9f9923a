import { setTimeout as sleep } from 'node:timers/promises'
import type { ProfileName } from '../../src/embedded/model/profile.ts'
import { startEmbeddedBroker } from '../../src/embedded/start-embedded-broker.ts'
import type { Program } from './program.ts'
import { type Observation, openSession, type Step } from './session.ts'

/** What the embedded broker did, step by step: what was sent, and what had come in after it. */
export interface Script {
  readonly step: Step
  readonly expected: Observation
}

/** Runs a program on an embedded broker of its own. */
export async function runOnEmbedded(
  program: Program,
  { profile, vhost, prefix }: { profile: ProfileName; vhost: string; prefix: string },
): Promise<readonly Script[]> {
  const broker = await startEmbeddedBroker({ profile, clock: 'virtual', vhosts: [vhost] })
  const session = await openSession(`${broker.url}/${encodeURIComponent(vhost)}`, prefix)
  const script: Script[] = []
  try {
    for (const operation of program) {
      const step = session.plan(operation)
      if (step.kind === 'wait') await broker.clock.advance(step.ms)
      else await session.send(step)
      await broker.settled()
      script.push({ step, expected: session.observe() })
      await session.reopen()
    }
  } finally {
    await session.end()
    await broker.stop()
  }
  return script
}

export type Verdict =
  | { readonly kind: 'same' }
  /** RabbitMQ itself crashed; such a fault is not modelled. */
  | { readonly kind: 'crashed' }
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
  { url, prefix }: { url: string; prefix: string },
): Promise<Verdict> {
  const session = await openSession(url, prefix)
  const drift = createDrift()
  try {
    for (const [at, { step, expected }] of script.entries()) {
      drift.note(step)
      if (step.kind === 'wait') await sleep(step.ms)
      else await session.send(step)
      const isLate = drift.isTooMuch()
      await awaitObservation(session.observe, expected)
      await sleep(mayDeadLetter(step) ? longBreathMs : breathMs)
      if (isSame(session.observe(), expected) && at === script.length - 1) await sleep(quietMs)
      const actual = session.observe()
      if (!isSame(actual, expected)) {
        if (hasCrashed(actual)) return { kind: 'crashed' }
        return isLate ? { kind: 'too-slow' } : { kind: 'different', at, step, expected, actual }
      }
      await session.reopen()
    }
    return { kind: 'same' }
  } finally {
    await session.end()
  }
}

/** A busy machine may take its time; what is right comes at once. */
const patienceMs = Number(process.env.WARREN_CONFORMANCE_PATIENCE_MS ?? 2000)
/** A dead letter travels unseen from queue to queue; it must not be overtaken by the next step. */
const breathMs = 4
const longBreathMs = 20

function mayDeadLetter(step: Step): boolean {
  if (step.kind !== 'methods') return step.kind === 'wait'
  return step.methods.some(({ name }) =>
    ['basic.nack', 'basic.reject', 'basic.recover', 'basic.cancel', 'channel.close'].includes(name),
  )
}

/** Whatever comes in this time after the end should not have come. */
const quietMs = 20
/** Real time may run ahead of the virtual clock by this much before a short expiry can be misjudged. */
const toleratedDriftMs = 600

function createDrift(): { note(step: Step): void; isTooMuch(): boolean } {
  let startedAt: number | undefined
  let virtualMs = 0
  return {
    note: (step) => {
      if (step.kind === 'publish') startedAt ??= performance.now()
      if (step.kind === 'wait' && startedAt !== undefined) virtualMs += step.ms
    },
    isTooMuch: () => startedAt !== undefined && performance.now() - startedAt - virtualMs > toleratedDriftMs,
  }
}

async function awaitObservation(observe: () => Observation, expected: Observation): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!isSame(observe(), expected) && performance.now() < deadline) await sleep(1)
}

/** e.g. 3.10.8 when a consumer of a quorum queue is cancelled and comes back under its tag. */
function hasCrashed(observation: Observation): boolean {
  return Object.values(observation)
    .flat()
    .some((event) => event.includes('"replyCode":541'))
}

function isSame(a: Observation, b: Observation): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
