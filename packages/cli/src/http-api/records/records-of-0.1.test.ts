import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type KnownApprovals, takeApprovalNotice } from '../approvals/known-approvals.ts'
import { createAuditCheck } from '../audit/audit-check.ts'
import { readNotice } from '../notices/read-notice.ts'
import { readTaskRecord } from '../tasks/read-task-record.ts'

const readStream = (name: string): readonly unknown[] =>
  JSON.parse(readFileSync(`test/fixtures/records-0.1/${name}.json`, 'utf8'))

test('every task record of 0.1 is read, with its receipt', () => {
  const records = readStream('tasks').map(readTaskRecord)

  expect(records).not.toContain(undefined)
  const ended = records.flatMap((record) =>
    record?.kind === 'task' && record.shared.task.state === 'done' ? [record.shared] : [],
  )
  expect(ended.map(({ receipt, asked }) => [receipt?.moved, asked])).toEqual([
    [2, expect.objectContaining({ kind: 'redrive' })],
    [5, expect.objectContaining({ kind: 'redrive' })],
  ])
  // They did not say how much they may move; what was asked for does.
  expect(ended.map(({ task }) => task.limit)).toEqual([2, 5])
})

test('every approval of 0.1 is known, with what was decided of it', () => {
  const notices = readStream('notices').map(readNotice)

  expect(notices).not.toContain(undefined)
  let known: KnownApprovals = new Map()
  for (const record of notices) known = takeApprovalNotice(known, { ...record!, isSigned: false } as never)
  const approvals = [...known.values()].map(({ approval }) => [approval.messages, approval.state])
  expect(approvals).toEqual([
    [5, 'granted'],
    [4, 'refused'],
    [6, 'waiting'],
  ])
})

test('an audit log of 0.1 is whole; nobody signed it', () => {
  const records = readStream('audit')
  const check = createAuditCheck({})

  for (const [offset, value] of records.entries()) check.take({ offset, value, proof: { kind: 'unsigned' } })
  for (const question of check.takeQuestions()) {
    const there = records[question.offset] as { readonly hash: string } | undefined
    check.answer(question, there?.hash === question.hash)
  }

  expect(check.verdict()).toMatchObject({
    kind: 'whole',
    problemCount: 0,
    records: records.length,
    unsigned: records.length,
    foreign: 0,
  })
})
