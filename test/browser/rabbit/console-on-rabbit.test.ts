import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { openShopOn } from '../open-shop.ts'
import { serveShop } from '../serve-shop.ts'
import { launchBrowser, logIn, open } from '../use-console.ts'

const vhost = await useBroker()
const shop = await openShopOn(vhost)
const server = await serveShop(shop)
const browser = await launchBrowser()
afterAll(async () => {
  await browser.close()
  await server.stop()
  await shop.close()
})

interface Listed {
  readonly items: readonly { readonly key: string; readonly id: string }[]
}
interface Audited {
  readonly items: readonly { readonly action: string; readonly target: string }[]
}

async function openQueue(queue: string, path = ''): Promise<Page> {
  const page = await open(browser, { url: server.url, path: `queues/${queue}${path}` })
  await logIn(page, vhost.username, vhost.password)
  return page
}

const addressOf = (queue: string): string =>
  `/api/queues/${encodeURIComponent(vhost.vhost)}/${encodeURIComponent(queue)}`

async function waitForDepth(queue: string, count: number): Promise<void> {
  const depth = async () =>
    (await vhost.management<{ readonly messages?: number }>('GET', addressOf(queue))).messages
  await eventually(async () => expect(await depth()).toBe(count), { timeoutMs: 60_000 })
}

async function ask<Answer>(path: string): Promise<Answer> {
  const login = Buffer.from(`${vhost.username}:${vhost.password}`).toString('base64')
  const answer = await fetch(`${server.url}/api/v1/${path}`, { headers: { authorization: `Basic ${login}` } })
  return (await answer.json()) as Answer
}

/** Presses Tab until the element with the focus says this, as whoever has no mouse does. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string>(
      '(({ activeElement: e }) => e.labels?.[0]?.textContent ?? e.getAttribute("aria-label") ?? e.textContent)(document)',
    )
    if (name.test(focused)) return
  }
  throw new Error(`Tab never comes to ${name}.`)
}

it('one message is edited, its changes are seen and sent, and its second life is in its line', async () => {
  const queue = 'warehouse.shipping.dlq'
  await shop.placeOrders(3)
  await waitForDepth(queue, 1)
  const page = await openQueue(queue)
  await page.getByRole('grid').getByRole('link', { name: 'OrderPlaced' }).click()
  await page.getByText('Its life').waitFor()

  await page.keyboard.press('e')
  const body = page.getByLabel('Body')
  await body.fill((await body.inputValue()).replace('"EUR"', '"USD"'))
  await page.getByText('added: "currency": "USD"', { exact: false }).waitFor()
  await page.getByLabel('Why').fill('wrong currency')
  await page.getByRole('button', { name: 'Put the changed message back' }).click()
  await page.getByText(/Nothing is lost: 1 moved/).waitFor()
  await waitForDepth(queue, 1)

  await page.goto(`${server.url}/console/queues/${queue}`)
  await page.getByRole('grid').getByRole('link', { name: 'OrderPlaced' }).click()
  await page.getByText('Edited and put back').waitFor()
  await page.getByText(`by ${vhost.username}: “wrong currency”`).waitFor()
  await page.getByText(/^Dead again after \d+ attempts?/).waitFor()
  await page.getByText('"currency": "USD"').waitFor()
})

it('a hundred opened messages cost one look, and leave depth and order as they were', async () => {
  const queue = 'mail.receipts.dlq'
  await shop.killInThePast({ dlq: queue, failedIn: 'mail.receipts', count: 150 })
  const inOrder = async () => (await ask<Listed>(`dlqs/${queue}/messages?limit=500`)).items
  const before = await inOrder()
  const page = await openQueue(queue)
  await page.getByText(`${before.length} messages`, { exact: true }).waitFor()

  for (const { key, id } of before.slice(0, 100)) {
    await page.evaluate(`history.pushState(null, '', '/console/queues/${queue}/messages/${key}')`)
    await page.getByText(id, { exact: false }).first().waitFor()
  }

  const { items: records } = await ask<Audited>('audit')
  expect(records.filter(({ action, target }) => action === 'snapshot' && target === queue)).toHaveLength(1)
  expect((await inOrder()).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  await waitForDepth(queue, before.length)
})

it('by keys alone, from the link of an alert to a receipt that adds up', async () => {
  const queue = 'billing.payments.dlq'
  await shop.placeOrders(17)
  await waitForDepth(queue, 12)
  const page = await open(browser, { url: server.url, path: `queues/${queue}` })
  await logIn(page, vhost.username, vhost.password)
  await page.getByText('12 messages').waitFor()
  shop.mend()

  await tabTo(page, /PaymentDeclinedError/)
  await page.keyboard.press('Enter')
  await page.getByText('6 of 12 match').waitFor()
  await page.keyboard.press('r')
  await page.getByText('Route proved: reaches billing.payments').waitFor()
  await tabTo(page, /^Why$/)
  await page.keyboard.type('The cards are renewed.')
  await tabTo(page, /^Re-drive 6 messages$/)
  await page.keyboard.press('Enter')

  await page.getByText(/Nothing is lost: 6 moved \+ 0 failed \+ 6 kept \+ 0 still there = 12/).waitFor()
  await page.getByText('“The cards are renewed.”').waitFor()
  await eventually(() => expect(shop.handled).toHaveLength(6))
  await tabTo(page, /^See the 6 messages that were left in the queue$/)
  await page.keyboard.press('Enter')
  await page.getByText('6 messages', { exact: true }).waitFor()
})

it('a target that is unbound while a task runs is told, nothing is lost, and the balance is true', async () => {
  const [dlq, target] = ['warehouse.shipping.dlq', 'warehouse.shipping']
  await shop.killInThePast({ dlq, failedIn: target, count: 36 })
  await waitForDepth(dlq, 40)
  const before = shop.handled.length
  const page = await openQueue(dlq, '/redrive?rate=4')
  await page.getByRole('button', { name: 'Re-drive 40 messages' }).click()
  await page.getByText('running').first().waitFor()
  await expect.poll(() => shop.handled.length).toBeGreaterThan(before)

  await vhost.management('DELETE', addressOf(target))

  const verdict = page.getByText(/^Nothing is lost: /)
  await verdict.waitFor()
  const [moved, failed, kept, stillThere, present] = (await verdict.textContent())!.match(/\d+/g)!.map(Number)
  expect(moved! + failed! + kept! + stillThere!).toBe(present)
  expect(present).toBe(40)
  expect(moved).toBeLessThan(40)
  await page
    .getByText(/Why some failed|Why others stayed/)
    .first()
    .waitFor()
  await waitForDepth(dlq, 40 - moved!)
})

it('a queue that is deleted while its page is open is told, and its page comes back with it', async () => {
  const queue = 'passing.dlq'
  const made = { durable: true, arguments: { 'x-queue-type': 'classic' } }
  await vhost.management('PUT', addressOf(queue), made)
  await shop.publishTo(queue, 3)
  const page = await openQueue(queue)
  await page.getByText('3 messages').waitFor()

  await vhost.management('DELETE', addressOf(queue))
  await page.getByText('There is no such dead-letter queue').waitFor()
  await vhost.management('PUT', addressOf(queue), made)

  await page.getByText(/3 fewer since/).waitFor()
})
