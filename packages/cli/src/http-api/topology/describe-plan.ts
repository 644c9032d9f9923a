import { createHash } from 'node:crypto'
import type { ApplyReport } from 'warrenmq'
import { type Plan, renderPlan, renderWaysOut, type StepResult } from 'warrenmq/operations'
import type { ApplyResult, PlanStep, TopologyBinding, TopologyPlan } from '../contract/contract.ts'

export function describePlan(plan: Plan, brokerVersion: string): TopologyPlan {
  return {
    digest: digestPlan(plan),
    brokerVersion,
    isEmpty: plan.isEmpty,
    safe: plan.safe.map(describeStep),
    disruptive: plan.disruptive.map(describeStep),
    impossible: plan.impossible.map((step) => ({
      name: step.name,
      changes: step.changes.map(({ setting, wanted, live }) => ({
        setting,
        wanted: wanted ?? null,
        live: live ?? null,
      })),
      messages: step.messages ?? null,
      waysOut: renderWaysOut(step),
    })),
    leftovers: plan.leftovers.map(({ queue, of, messages = null }) => ({ queue, of, messages })),
    unmanaged: plan.unmanaged,
    policyConflicts: plan.policyConflicts.map(({ queue, key, policies, consequence }) => ({
      queue,
      key,
      policies,
      consequence,
    })),
    text: renderPlan(plan),
  }
}

export function describeReport(report: ApplyReport): ApplyResult {
  const { done, kept, skipped, failed, impossible, isComplete, results } = report
  return {
    kind: 'applied',
    done,
    kept,
    skipped,
    failed,
    impossible: impossible.length,
    isComplete,
    results: results.map(({ step, outcome }) => ({
      ...describeStep(step),
      outcome: outcome.kind,
      problem: outcome.kind === 'failed' ? outcome.error.message : null,
    })),
  }
}

/** Depths change all the time and make no other plan. */
function digestPlan({ safe, disruptive, impossible }: Plan): string {
  const settled = JSON.stringify([safe, disruptive, impossible], (name, value: unknown) =>
    name === 'messages' || name === 'consumers' ? undefined : value,
  )
  return createHash('sha256').update(settled).digest('hex')
}

function describeStep(step: StepResult['step']): PlanStep {
  switch (step.kind) {
    case 'create-exchange':
      return { kind: step.kind, target: step.exchange.name }
    case 'create-queue':
      return { kind: step.kind, target: step.queue.name }
    case 'delete-queue':
      return { kind: step.kind, target: step.queue }
    case 'add-binding':
    case 'remove-binding':
      return { kind: step.kind, target: nameBinding(step.binding) }
  }
}

function nameBinding({ source, destination, key }: Omit<TopologyBinding, 'arguments'>): string {
  return `${source} -> ${destination}${key === '' ? '' : `, key ${key}`}`
}
