import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { RouteProof } from './route-book.ts'
import { unseenWarner } from './unseen-warner.ts'

function keepWarnings(): string[] {
  const warnings: string[] = []
  const keep = (warning: Error & { code?: string }): void => {
    if (warning.code === 'WARREN_REDRIVE_UNSEEN') warnings.push(warning.message)
  }
  process.on('warning', keep)
  onTestFinished(() => void process.off('warning', keep))
  return warnings
}

const proofOf = (...unseen: string[]): RouteProof => ({
  isSafe: true,
  queues: ['work'],
  refusesWhenFull: false,
  secondFailure: '',
  unseen,
})

test('each queue that is not looked into is told once, and shows its name', async () => {
  const warnings = keepWarnings()
  const warn = unseenWarner('dlq')

  for (const proof of [proofOf(), proofOf('late'), proofOf('late', 'bad\u001bname'), undefined]) warn(proof)
  warn({ isSafe: false, problem: 'There is no queue "gone".' })
  await nextTurn()

  expect(warnings).toEqual([
    'Messages of "dlq" that fail again go to "late", where this re-drive does not look: neither a canary nor --stop-when-dead notices them there. Watch that queue.',
    expect.stringContaining('go to "bad'),
  ])
  expect(warnings.join()).not.toContain('\u001b')
})
