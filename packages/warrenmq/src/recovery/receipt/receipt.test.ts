import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { FailureKind } from '../redrive/failed-publish.ts'
import type { KeepReason } from '../redrive/plan-redrive.ts'
import type { PreviewTarget, RedrivePreview } from '../redrive/preview-redrive.ts'
import type { Interruption, Receipt, RedriveOutcome } from './receipt.ts'

/** Every name of a type: one that is missing here, or is none, does not compile. */
type Names<Name extends string> = Readonly<Record<Name, true>>

const receipt: Names<keyof Receipt> = {
  format: true,
  id: true,
  queue: true,
  vhost: true,
  by: true,
  reason: true,
  startedAt: true,
  where: true,
  request: true,
  endedAt: true,
  ratePerSecond: true,
  outcome: true,
  interruption: true,
  present: true,
  moved: true,
  failed: true,
  kept: true,
  stillThere: true,
  arrivals: true,
  cameBack: true,
  missing: true,
  otherConsumers: true,
  duplicatesPossible: true,
  refreshed: true,
  movedAside: true,
  isBalanced: true,
  unproved: true,
  published: true,
  acksInDoubt: true,
  unanswered: true,
  isCounted: true,
  targets: true,
  causes: true,
  failures: true,
  keptBecause: true,
  digest: true,
  refusals: true,
  areRoutesProved: true,
}
const preview: Names<keyof RedrivePreview> = {
  queue: true,
  present: true,
  matching: true,
  moving: true,
  seen: true,
  isWhole: true,
  targets: true,
  keeping: true,
  refusals: true,
  areRoutesProved: true,
  missing: true,
  digest: true,
}
const target: Names<keyof PreviewTarget> = {
  target: true,
  count: true,
  why: true,
  queues: true,
  secondFailure: true,
  keyChanges: true,
  keysBefore: true,
}
const outcomes: Names<RedriveOutcome> = {
  done: true,
  cancelled: true,
  'held-too-long': true,
  'came-back-dead': true,
  interrupted: true,
  'target-too-deep': true,
}
const interruptions: Names<Interruption> = {
  locked: true,
  'node-lost': true,
  'no-progress': true,
  'queue-deleted': true,
  away: true,
  failed: true,
  forbidden: true,
  taken: true,
}
const failures: Names<FailureKind> = { unroutable: true, refused: true, unanswered: true }
const reasons: Names<KeepReason> = {
  'not-selected': true,
  'over-the-limit': true,
  'origin-unknown': true,
  'origin-foreign': true,
  'type-unknown': true,
  'no-wait-queue': true,
  'target-refused': true,
  'too-large': true,
  unreadable: true,
  'came-back': true,
  'dead-again': true,
  stopped: true,
}

const page = await readFile(new URL('../../../../../docs/reference/receipt.md', import.meta.url), 'utf8')
const [, receiptPart = '', planPart = '', reasonPart = ''] = page.split('\n## ')

test.each([
  ['receipt', receipt, receiptPart],
  ['outcome', outcomes, receiptPart],
  ['interruption', interruptions, receiptPart],
  ['failure', failures, receiptPart],
  ['plan', preview, planPart],
  ['target of a plan', target, planPart],
  ['reason to keep', reasons, reasonPart],
])('every name of a %s stands in its table of the reference', (_what, names, part) => {
  const told = new Set([...part.matchAll(/`([\w-]+)`/g)].map(([, name]) => name))

  expect(Object.keys(names).filter((name) => !told.has(name))).toEqual([])
})
