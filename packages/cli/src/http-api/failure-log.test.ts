import { expect, test } from 'vitest'
import { ManagementError } from 'warrenmq'
import { createFailureLog } from './failure-log.ts'

function setup() {
  const told: (readonly [object, string])[] = []
  let now = 0
  const tell = (fields: object, sentence: string): void => void told.push([fields, sentence])
  const fail = createFailureLog(
    { warn: tell, error: tell } as unknown as Parameters<typeof createFailureLog>[0],
    { level: 'warn', sentence: 'the queue depths could not be read' },
    { now: () => now },
  )
  const pass = (seconds: number): void => {
    now += seconds * 1_000
  }
  return { told, fail, pass }
}

const away = () => new ManagementError({ code: 'MANAGEMENT_UNREACHABLE', message: 'Nobody answers.' })

test('a failure that lasts is told once in a sentence, and again after ten minutes', () => {
  const { told, fail, pass } = setup()

  for (let seconds = 0; seconds < 600; seconds += 10) {
    fail(away())
    pass(10)
  }
  expect(told).toEqual([
    [{ code: 'MANAGEMENT_UNREACHABLE', problem: 'Nobody answers.' }, 'the queue depths could not be read'],
  ])

  fail(away())
  expect(told).toHaveLength(2)
})

test('another failure is told at once, and one that nobody foresaw with where it happened', () => {
  const { told, fail } = setup()
  const unforeseen = new TypeError('undefined is no function')

  fail(away())
  fail(unforeseen)
  fail(away())

  expect(told.map(([fields]) => fields)).toEqual([
    { code: 'MANAGEMENT_UNREACHABLE', problem: 'Nobody answers.' },
    { err: unforeseen },
  ])
})
