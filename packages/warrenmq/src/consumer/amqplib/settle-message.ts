import { decideUnwritable } from '../decide/decide-outcome.ts'
import { pauseAfter } from '../run/handle-delivery.ts'
import { pause } from '../run/pause.ts'
import { planMove, type SettledOutcome } from '../settle/settlement.ts'
import { writeAmqplibProperties } from './amqplib-properties.ts'
import type { Placement } from './copy-placer.ts'
import { type Attendance, attemptOf, type WrappedRun } from './wrapped-run.ts'

/** Tells the broker what was decided. Gives what was settled in the end; undefined where the channel went first. */
export async function settleMessage(
  run: WrappedRun,
  outcome: SettledOutcome,
  attendance: Attendance,
): Promise<SettledOutcome | undefined> {
  const { channel } = attendance
  const { message } = run
  switch (outcome.kind) {
    case 'acknowledge':
      return sent(outcome, () => channel.ack(message))
    case 'give-back':
      return sent(outcome, () => channel.nack(message, false, true))
    case 'retry':
      if (outcome.delay.by === 'publish') break
      return sent(outcome, () => channel.nack(message, false, false))
    case 'dead-letter':
      if (outcome.park.kind === 'publish') break
      return sent(outcome, () => channel.nack(message, false, false))
    case 'defer':
    case 'recount':
      break
  }
  return moveInTime(run, outcome, attendance)
}

/** A channel that is gone takes no answer, and amqplib throws. The broker has the message back then. */
function sent(outcome: SettledOutcome, send: () => void): SettledOutcome | undefined {
  try {
    send()
    return outcome
  } catch {
    return undefined
  }
}

/**
 * Moves the message on, in an order that is never changed: publish, confirm and no return, then acknowledge. A copy that
 * finds no place is tried again with growing pauses, until the message must go back to its queue.
 */
async function moveInTime(
  run: WrappedRun,
  outcome: SettledOutcome,
  attendance: Attendance,
): Promise<SettledOutcome | undefined> {
  const { channel, placer, options } = attendance
  const lastMs = run.receivedAtMs + options.longestHoldMs
  for (let failures = 1; ; failures += 1) {
    const placement = await move(run, outcome, attendance)
    if (placement.kind === 'confirmed') return sent(outcome, () => channel.ack(run.message))
    if (placement.kind === 'stale') return undefined
    if (placement.kind === 'unwritable') return settleUnwritable(run, outcome, placement.problem, attendance)
    const leftMs = lastMs - options.clock.now()
    if (leftMs <= 0) return settleMessage(run, { kind: 'give-back' }, attendance)
    await keepFor(Math.min(pauseAfter(failures), leftMs), run, placement.problem, attendance)
    if (placer.closed.aborted) return undefined
  }
}

async function keepFor(
  delayMs: number,
  run: WrappedRun,
  problem: string,
  attendance: Attendance,
): Promise<void> {
  const { tell, options, placer } = attendance
  tell({ kind: 'unplaced', message: run.consumed, problem, nextAttemptMs: delayMs })
  await pause(delayMs, { clock: options.clock, signal: placer.closed })
}

async function move(run: WrappedRun, outcome: SettledOutcome, attendance: Attendance): Promise<Placement> {
  const { flow, options, placer } = attendance
  const { message, delivery } = run
  // The broker has it back already; a copy would be a second message.
  if (placer.closed.aborted) return { kind: 'stale' }
  try {
    const { address, failures, propertiesOf } = planMove({ message: run.consumed }, outcome, {
      flow,
      options,
    })
    const failedAttempts = run.failedBefore + failures
    const properties = propertiesOf({ delivery, flow, login: undefined, failedAttempts })
    return await placer.place({
      ...address,
      content: message.content,
      options: writeAmqplibProperties(properties, message.properties, {
        isBare: 'isBare' in outcome && outcome.isBare === true,
      }),
    })
  } catch (cause) {
    return { kind: 'unwritable', problem: (cause as Error).message }
  }
}

/** It is parked with next to nothing on it; where that fails too, it is kept for a while and given back. */
async function settleUnwritable(
  run: WrappedRun,
  outcome: SettledOutcome,
  problem: string,
  attendance: Attendance,
): Promise<SettledOutcome | undefined> {
  const { flow } = attendance
  const instead = decideUnwritable({ outcome, attempt: attemptOf(run), park: flow.park, problem })
  if (instead) return settleMessage(run, instead, attendance)
  await keepFor(unwritablePauseMs, run, problem, attendance)
  return settleMessage(run, { kind: 'give-back' }, attendance)
}

const unwritablePauseMs = 60_000
