import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decideReceipt } from './decide-receipt.ts'
import { parseReceipt } from './parse-receipt.ts'
import { renderReceipt } from './render-receipt.ts'

const folder = 'test/fixtures/receipts-0.1'
const readReceipt = (name: string) => parseReceipt(readFileSync(join(folder, name), 'utf8'))

test.each(readdirSync(folder))('%s, which 0.1 wrote, is read, checked and shown', (name) => {
  const receipt = readReceipt(name)
  const { digest, moved, stillThere } = receipt

  const places = [{ queue: receipt.queue, role: 'target', found: moved } as const]
  const checks = decideReceipt(receipt, { depth: stillThere, places, digest: digest ?? '' })

  expect(checks.filter(({ verdict }) => verdict === 'broken')).toEqual([])
  expect(renderReceipt(receipt).join('\n')).toContain(String(moved))
})

test('what a receipt of 0.1 counts is what 0.1 did', () => {
  expect(readReceipt('redrive.json')).toMatchObject({ present: 8, moved: 3, stillThere: 5, by: 'ann' })
  expect(readReceipt('redrive-filtered.json')).toMatchObject({
    moved: 1,
    targets: [{ target: 'orders', moved: 1 }],
  })
  expect(readReceipt('redrive-nothing.json')).toMatchObject({ moved: 0, targets: [] })
})
