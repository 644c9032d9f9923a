import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { useConsole } from './use-console.ts'

const folder = mkdtempSync(join(tmpdir(), 'warren-kept-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const rig = await useConsole({ server: { backups: { folder } } })
const dlq = 'billing.payments.dlq'

it('one message is edited, its changes are seen and sent, and its second life is in its line', async () => {
  await rig.killOrders(1)
  const page = await rig.openAsGuest({ path: `queues/${dlq}` })
  await page.getByRole('grid').getByRole('link', { name: 'OrderPlaced' }).click()
  await page.getByText('Its life').waitFor()

  await page.keyboard.press('e')
  const body = page.getByLabel('Body')
  await body.fill((await body.inputValue()).replace('"currency": "EUR"', '"currency": "USD"'))
  await page.getByLabel('Value of tenant').fill('initech')
  await page.getByText('removed: "currency": "EUR"', { exact: false }).waitFor()
  await page.getByText('added: "currency": "USD"', { exact: false }).waitFor()
  await page.getByLabel('Why').fill('wrong currency')
  await page.getByRole('button', { name: 'Put the changed message back' }).click()
  await page.getByText(/Nothing is lost: 1 moved/).waitFor()

  // The shop is not mended, so it dies again: with what was changed, and with what it was before.
  // Whoever comes back after a re-drive gets a new look.
  await page.goto(`${rig.server.url}/console/queues/${dlq}`)
  await page.getByRole('grid').getByRole('link', { name: 'OrderPlaced' }).click()
  await page.getByText('Edited and put back').waitFor()
  await page.getByText('by guest: “wrong currency”').waitFor()
  await page.getByText(/^Dead again after \d+ attempts/).waitFor()
  await page.getByText('"currency": "USD"').waitFor()
  await page.getByRole('cell', { name: 'initech' }).waitFor()
  await page.getByRole('link', { name: 'See the re-drive' }).click()
  await page.getByRole('heading', { name: `Re-drive of ${dlq}` }).waitFor()
})

it('messages are discarded into a backup, never more than were counted, and restored from it', async () => {
  await rig.shop.killInThePast({ dlq: 'mail.receipts.dlq', failedIn: 'mail.receipts', count: 40 })
  const page = await rig.openAsGuest({ path: 'queues/mail.receipts.dlq' })
  await page.getByText('40 messages').waitFor()
  await page.getByRole('button', { name: 'Discard…' }).click()
  await page.getByText('would leave the queue').waitFor()
  // Others come meanwhile: they stay.
  await rig.shop.publishTo('mail.receipts.dlq', 3)
  await page.getByLabel('Why').fill('obsolete')
  await page.getByRole('button', { name: 'Discard 40 messages' }).click()
  await page.getByText('40 messages removed, 3 left in the queue.').waitFor()
  expect(readdirSync(folder)).not.toEqual([])

  await page.getByRole('link', { name: 'See the backup' }).click()
  await page.getByText('It may hold the only copy').waitFor()
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('40 messages restored').waitFor()

  expect(rig.shop.broker.inspect('mail.receipts.dlq')).toMatchObject({ counts: { ready: 43 } })
})
