import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { serveShop } from './serve-shop.ts'
import { logIn, useConsole } from './use-console.ts'

const rig = await useConsole()
const dlq = 'billing.payments.dlq'
const queue = `queues/${dlq}`

interface Listed {
  readonly items: readonly { readonly key: string; readonly id: string }[]
}
interface Audited {
  readonly items: readonly { readonly action: string; readonly target: string }[]
}

/** Ids in the order of the queue. */
async function idsInOrder(): Promise<readonly string[]> {
  const { items } = await rig.ask<Listed>(`dlqs/${dlq}/messages?limit=500`)
  return items.map(({ id }) => id)
}

it('a hundred opened messages cost one look, and leave depth and order as they were', async () => {
  await rig.shop.killInThePast({ dlq, failedIn: 'billing.payments', count: 300 })
  const before = await idsInOrder()
  const { items } = await rig.ask<Listed>(`dlqs/${dlq}/messages?limit=100`)
  const page = await rig.openAsGuest({ path: queue })
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await page.getByText('300 messages').waitFor()

  for (const { key, id } of items) {
    await page.evaluate(`history.pushState(null, '', '/console/${queue}/messages/${key}')`)
    await page.getByText(id, { exact: false }).first().waitFor()
  }

  expect(asked.filter((request) => request.endsWith(`/dlqs/${dlq}/messages`))).toEqual([])
  const { items: records } = await rig.ask<Audited>('audit')
  expect(records.filter(({ action, target }) => action === 'snapshot' && target === dlq)).toHaveLength(1)
  expect(await idsInOrder()).toEqual(before)
})

it('a card, a stretch of time and a value write the filter, and the count always says how many match', async () => {
  const page = await rig.openAsGuest({ path: queue })
  await page.getByText('300 messages').waitFor()
  const filter = page.getByLabel('Filter')

  const card = page.getByRole('button', { name: /GatewayTimeoutError/ })
  await card.click()
  await page.getByText(/^\d+ of 300 match$/).waitFor()
  expect(await card.getAttribute('aria-pressed')).toBe('true')
  expect(await filter.inputValue()).toMatch(/^cause:[0-9a-f]+$/)
  await card.click()
  await page.getByText('300 messages').waitFor()
  const chart = page.getByRole('slider', { name: 'Time of death' })
  const box = (await chart.boundingBox())!
  await page.mouse.move(box.x + 2, box.y + 20)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, box.y + 20)
  await page.mouse.up()
  await page.getByText(/^\d+ of 300 match$/).waitFor()
  expect(await filter.inputValue()).toMatch(/^died>=\S+Z and died<\S+Z$/)
  await page.getByRole('button', { name: /^OrderChanged/ }).click()
  await expect.poll(() => filter.inputValue()).toMatch(/^died>=\S+ and died<\S+ and type:OrderChanged$/)
  await page.getByText(/^\d+ of 300 match$/).waitFor()

  // What the page says is what the command line would select.
  const where = encodeURIComponent(await filter.inputValue())
  const { causes } = await rig.ask<{ causes: readonly { count: number }[] }>(
    `dlqs/${dlq}/causes?where=${where}`,
  )
  const matching = causes.reduce((sum, { count }) => sum + count, 0)
  await page.getByText(`${matching} of 300 match`, { exact: true }).waitFor()
})

it('the filter is completed as it is written, with the values that messages have', async () => {
  const page = await rig.openAsGuest({ path: queue })
  await page.getByText('300 messages').waitFor()

  await page.keyboard.press('/')
  await page.keyboard.type('ty')
  await page.getByRole('option', { name: /^type:/ }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await page.getByRole('option', { name: /^OrderChanged/ }).waitFor()
  await page.keyboard.type('OrderC')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')

  await page.getByText(/^\d+ of 300 match$/).waitFor()
  expect(new URL(page.url()).searchParams.get('where')).toBe('type:OrderChanged')
})

it('the list stands while something is selected, and the page says what has come since', async () => {
  const page = await rig.openAsGuest({ path: queue })
  await page.getByText('300 messages').waitFor()
  await page.getByRole('row').nth(1).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByText('1 selected').waitFor()
  const before = await page.getByRole('grid').getByRole('link').allTextContents()

  await rig.shop.publishTo(dlq, 12)
  await page.getByText(/12 more since/).waitFor()

  expect(await page.getByRole('grid').getByRole('link').allTextContents()).toEqual(before)
  await page.getByRole('button', { name: 'Look again' }).click()
  await page.getByText('312 messages').waitFor()
  await page.getByText('1 selected').waitFor()
})

/** WARREN_CONSOLE_MESSAGES=1000000 tries as many as the console promises; it takes some minutes. */
const many = Number(process.env.WARREN_CONSOLE_MESSAGES ?? 20_000)

it(`${many} messages are at most a hundred rows on the page, and the last can be reached`, async () => {
  await fillWith(many)
  const page = await rig.openAsGuest({ path: 'queues/mail.receipts.dlq?sort=position' })
  await page
    .getByText(`${many.toLocaleString('en-US')} messages`, { exact: true })
    .waitFor({ timeout: 600_000 })
  const list = page.getByRole('grid', { name: 'Messages' })
  const rows = list.getByRole('row')

  await rows.first().waitFor()
  await eventually(async () => {
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    expect(Number(await list.getAttribute('aria-rowcount'))).toBeGreaterThanOrEqual(1_000)
  })
  expect(await rows.count()).toBeLessThanOrEqual(100)
  await page.goto(`${rig.server.url}/console/queues/mail.receipts.dlq?sort=-position`)
  await page
    .getByRole('link', { name: /^OrderPlaced|^RefundRequested|^OrderChanged/ })
    .first()
    .waitFor()
  await page
    .getByText(`order-${48_000 + ((many - 1) % 20_000) * 7}`, { exact: true })
    .first()
    .waitFor()
}, 1_200_000)

/** In slices, so that no million of messages is in our memory at once. */
async function fillWith(count: number): Promise<void> {
  for (let done = 0; done < count; done += 20_000) {
    const slice = { count: Math.min(20_000, count - done), failedIn: 'mail.receipts' }
    await rig.shop.killInThePast({ dlq: 'mail.receipts.dlq', ...slice })
  }
}

it('a snapshot that is on another server is replaced by a look of the one that answers', async () => {
  const page = await rig.openAsGuest({ path: queue })
  await page.getByText(/^\d+ messages$/).waitFor()
  const other = await serveShop(rig.shop)
  onTestFinished(() => other.stop())
  const answers: string[] = []
  page.on('response', (answer) => answers.push(`${answer.status()} ${new URL(answer.url()).pathname}`))

  // As a balancer does that has forgotten who was where.
  await page.route('**/api/v1/**', (route) =>
    route.continue({ url: route.request().url().replace(rig.server.url, other.url) }),
  )
  await page.waitForResponse((answer) => answer.url().includes('/snapshots/') && answer.status() === 409)

  await expect
    .poll(() => answers.some((answer) => answer.startsWith('201') || answer.startsWith('202')))
    .toBe(true)
  await page.getByText(/^\d+ messages$/).waitFor()
  await page.getByRole('grid').getByRole('link').first().click()
  await page.getByText('Its life').waitFor()
})

it('the link to a message works after the server was restarted, and says so when the message is gone', async () => {
  const { items } = await rig.ask<Listed>(`dlqs/${dlq}/messages?limit=1`)
  const { key, id } = items[0]!
  const second = await serveShop(rig.shop)
  const page = await rig.openAsGuest({ url: second.url, path: `${queue}/messages/${key}` })
  await page.getByText('Its life').waitFor()

  await second.stop()
  const third = await serveShop(rig.shop, { port: Number(new URL(second.url).port) })
  await page.reload()
  await logIn(page)
  await page.getByText('Its life').waitFor()
  await page.getByText(id, { exact: false }).first().waitFor()
  await rig.management('DELETE', `/api/queues/%2F/${dlq}/contents`)
  await page.goto(`${third.url}/console/${queue}`)
  await page.getByRole('button', { name: 'Look again' }).click()
  await page.getByText('No dead letters here').waitFor()
  await page.goto(`${third.url}/console/${queue}/messages/${key}`)

  await page.getByText('The message is no longer in the queue').waitFor()
  await third.stop()
})
