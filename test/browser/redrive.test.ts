import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { logIn, useConsole } from './use-console.ts'

const run = promisify(execFile)
const rig = await useConsole({ server: { approval: { above: 30 } } })

interface Listed {
  readonly items: readonly { readonly id: string; readonly state: string; readonly by: string }[]
}

it('by keys alone, from the link of an alert to a receipt that adds up', async () => {
  await rig.killOrders(40)
  const page = await rig.openPage({ path: 'queues/billing.payments.dlq' })
  await logIn(page)
  rig.shop.mend()

  // The address is still that of the alert.
  await page.getByText('24 messages').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('cause:PaymentDeclined and (')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('A condition is missing here.').waitFor()
  await page.getByLabel('Filter').focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('cause:PaymentDeclined')
  await page.keyboard.press('Enter')
  await page.getByText('12 of 24 match').waitFor()
  await page.getByRole('row').nth(1).waitFor()
  await page.keyboard.press('Escape') // out of the field, where keys are letters
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByText('2 selected').waitFor()
  expect(new URL(page.url()).searchParams.get('selected')).toContain(',')
  await page.keyboard.press('r')
  await page.getByText('2 of 24 messages would move.').waitFor()
  await page.getByText('Route proved: reaches billing.payments').waitFor()
  await page.getByLabel('Why').focus()
  await page.keyboard.type('The cards are renewed.')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Re-drive 2 messages')
  await page.keyboard.press('Enter')
  await page.getByText(/Nothing is lost: 2 moved \+ 0 failed \+ 22 kept \+ 0 still there = 24/).waitFor()

  await page.getByText('“The cards are renewed.”').waitFor()
  expect(rig.shop.handled).toHaveLength(2)
})

it('a double click is one task, and a changed setting asks for a new plan first', async () => {
  const before = await rig.ask<Listed>('tasks')
  const page = await rig.openAsGuest({ path: 'queues/mail.receipts.dlq/redrive?limit=3' })
  const start = page.getByRole('button', { name: /^Re-drive/ })
  await page.getByText('3 of 8 messages would move.').waitFor()

  await page.getByLabel('At most').fill('2')
  await page.getByText('The settings have changed.').waitFor()
  expect(await start.getAttribute('aria-disabled')).toBe('true')
  await page.getByRole('button', { name: 'Plan again' }).click()
  await page.getByText('2 of 8 messages would move.').waitFor()
  await start.dblclick()
  await page.getByText('Nothing is lost').waitFor()

  const after = await rig.ask<Listed>('tasks')
  expect(after.items.length - before.items.length).toBe(1)
})

it('above the limit a re-drive waits for a second person, and who asked cannot be that', async () => {
  await rig.shop.publishTo('warehouse.shipping.dlq', 40)
  const page = await rig.openAsGuest({ path: 'queues/warehouse.shipping.dlq/redrive?to=warehouse.shipping' })

  await page.getByRole('button', { name: /^Ask for approval to re-drive \d+ messages/ }).click()
  await page.getByText('asked by guest').waitFor()

  const grant = page.getByRole('button', { name: 'Grant' })
  expect(await grant.getAttribute('aria-disabled')).toBe('true')
  expect(await grant.getAttribute('title')).toBe('A second person has to grant what you asked for.')
  const { items } = await rig.ask<Listed>('approvals')
  expect(items).toMatchObject([{ state: 'waiting', by: 'guest' }])
})

it('the console, the command line and the API name the same plan by the same digest', async () => {
  const queue = 'mail.receipts.dlq'
  const page = await rig.openAsGuest({ path: `queues/${queue}/redrive?limit=2` })
  const digest = (await page.getByText(/^plan [0-9a-f]{64}$/).textContent())!.slice('plan '.length)

  const answer = await fetch(`${rig.server.url}/api/v1/redrives/plan`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from('guest:guest').toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ queue, limit: 2 }),
  })
  const planned = (await answer.json()) as { readonly digest: string }
  const { stdout } = await run(process.execPath, [
    ...[resolve('packages/cli/dist/main.js'), 'dlq', 'redrive', queue, '--limit', '2', '--dry-run', '--json'],
    ...['--url', rig.shop.broker.url, '--management-url', rig.shop.broker.managementUrl],
  ])

  expect(planned.digest).toBe(digest)
  expect(stdout).toContain(digest)
})

it('two tabs of one person are one task: the second is told of the first, and shows the same', async () => {
  await rig.shop.killInThePast({ dlq: 'mail.receipts.dlq', failedIn: 'mail.receipts', count: 10 })
  const [before, path] = [await rig.ask<Listed>('tasks'), 'queues/mail.receipts.dlq/redrive?rate=4']
  const one = await rig.openAsGuest({ path })
  const other = await one.context().newPage()
  await other.goto(one.url())
  const button = { name: /^Re-drive \d+ messages/ }
  await other.getByRole('button', button).waitFor()
  await one.getByRole('button', button).click()
  await one.getByText('running').first().waitFor()

  await other.getByRole('button', button).click()
  await other
    .getByRole('alert')
    .getByText(/by guest, .*is working on the queue/)
    .waitFor()
  await one.getByText(/Nothing is lost: \d+ moved/).waitFor()
  await other.goto(one.url())
  await other.getByText(/Nothing is lost: \d+ moved/).waitFor()

  const after = await rig.ask<Listed>('tasks')
  expect(after.items.length - before.items.length).toBe(1)
})

it('the time left of a re-drive is that of what will be moved, and not of all that is in the queue', async () => {
  await rig.shop.publishTo('warehouse.shipping.dlq', 500)
  const path = 'queues/warehouse.shipping.dlq/redrive?to=warehouse.shipping&limit=20&rate=2'
  const page = await rig.openAsGuest({ path })
  await page.getByRole('button', { name: 'Re-drive 20 messages' }).click()

  const said = await page.getByText(/a second, at most \d+ (s|min) to go$/).textContent()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('cancelled').first().waitFor()

  // Twenty take ten seconds, and five hundred more than four minutes.
  expect(said).toMatch(/at most \d+ s to go$/)
  await rig.management('DELETE', '/api/queues/%2F/warehouse.shipping.dlq/contents')
})
