import { customerOf } from '../actors/actors.ts'
import type { HandlerRun, PlannedMessage } from '../actors/ledger.ts'
import type { Evidence } from './evidence.ts'

interface CustomerRun extends HandlerRun {
  readonly plan: PlannedMessage
}

/** With `orderBy`, a consumer handles messages of one customer one at a time, and in order. */
export function checkOrder(evidence: Evidence): void {
  const { ledger, scenario, violate } = evidence
  if (!scenario.isOrdered) return
  const runs = [...ledger.accounts.values()]
    .flatMap(({ plan, runs: all }) => all.map((run): CustomerRun => ({ ...run, plan })))
    .sort((one, other) => one.startedAtMs - other.startedAtMs)
  for (const [at, run] of runs.entries()) {
    const next = runs.slice(at + 1).find((other) => isSameLane(run, other))
    if (!next || run.endedAtMs === undefined || !isUndisturbed(evidence)) continue
    if (next.startedAtMs < run.endedAtMs)
      violate('order', `${next.plan.id} is handled while ${run.plan.id} of the same customer is`)
  }
  if (!isInOrder(evidence)) return
  const first = runs.filter(({ attempt }, at) => attempt === 1 && isFirst(runs, at))
  for (const [at, run] of first.entries()) {
    const before = first.slice(0, at).find((other) => isSameLane(other, run) && isLater(other, run))
    if (before)
      violate('order', `${run.plan.id} is handled after ${before.plan.id}, which was published later`)
  }
}

function isSameLane(one: CustomerRun, other: CustomerRun): boolean {
  return one.process === other.process && customerOf(one.plan) === customerOf(other.plan)
}

function isLater(one: CustomerRun, other: CustomerRun): boolean {
  return Number(one.plan.id.slice(1)) > Number(other.plan.id.slice(1))
}

function isFirst(runs: readonly CustomerRun[], at: number): boolean {
  return runs.findIndex(({ plan }) => plan.id === runs[at]!.plan.id) === at
}

/** A lost connection ends what a consumer promised of the deliveries on it. */
function isUndisturbed({ broker, faults }: Evidence): boolean {
  return broker.brokenConnections === 0 && faults.every(({ kind }) => !ends.has(kind))
}

const ends = new Set([
  'kill',
  'broker-crash',
  'close-channels',
  'delete-queue',
  'cut',
  'black-hole',
  'refuse',
])

/** One publisher, one message at a time, one consumer, and nothing that could make a message come again. */
function isInOrder({ scenario, faults }: Evidence): boolean {
  const { publishers, publisherWindow, consumers, messages } = scenario
  const isAlone = publishers === 1 && publisherWindow === 1 && consumers.length === 1
  return isAlone && faults.length === 0 && messages.every(({ steps }) => !steps.includes('die'))
}
