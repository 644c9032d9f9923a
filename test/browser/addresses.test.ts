import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { serveShop } from './serve-shop.ts'
import { useConsole } from './use-console.ts'

const dlq = 'billing.payments.dlq'
const rig = await useConsole({
  before: (shop) => shop.killInThePast({ dlq, failedIn: 'billing.payments', count: 600 }),
})
const queue = `queues/${dlq}`

async function isOnPage(page: Page): Promise<boolean> {
  return page.evaluate<boolean>("document.querySelector('main').contains(document.activeElement)")
}

it('every page has a title of its own, and whoever goes there by keys is on it', async () => {
  const page = await rig.openAsGuest()
  await page.getByText('The most urgent first').waitFor()
  await expect.poll(() => page.title()).toBe('Dead letters · Warren')

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Tasks' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.title()).toBe('Tasks · Warren')
  await expect.poll(() => isOnPage(page)).toBe(true)
  await page.goto(`${rig.server.url}/console/${queue}`)
  await page.getByText('600 messages').waitFor()
  await expect.poll(() => page.title()).toBe(`${dlq} · Warren`)
  await page.getByRole('grid').getByRole('link').first().click()
  await page.getByText('Its life').waitFor()
  await expect.poll(() => page.title()).toMatch(/^Order\w+ · Warren$|^Refund\w+ · Warren$/)
  expect(await isOnPage(page)).toBe(true)
})

it('whoever comes back to a list finds it as it was scrolled', async () => {
  const page = await rig.openAsGuest({ path: queue })
  const list = page.getByRole('grid', { name: 'Messages' })
  const topOf = () => list.evaluate((element) => element.scrollTop)
  await page.getByText('600 messages').waitFor()
  await list.evaluate((element) => element.scrollTo(0, 2_400))
  const row = list.getByRole('link').nth(10)
  await expect.poll(topOf).toBe(2_400)
  await row.click()
  await page.getByText('Its life').waitFor()

  await page.goBack()

  await page.getByText('600 messages').waitFor()
  await expect.poll(topOf).toBeGreaterThan(2_000)
})

it('what an address says that means nothing here is left out, but never what would move fewer messages', async () => {
  const page = await rig.openAsGuest({ path: `${queue}?sort=colour&selected=%5B%22zzz%22%5D&old=1` })
  await page.getByText('600 messages').waitFor()
  await page.getByRole('button', { name: 'Re-drive…' }).waitFor()

  await page.goto(`${rig.server.url}/console/${queue}/redrive?limit=-3&rate=fast&keys=%5B%22zzz%22%5D`)

  await page.getByText('“At most” has to be a whole number above 0.').waitFor()
  expect(
    await page.getByRole('button', { name: 'Re-drive', exact: true }).getAttribute('aria-disabled'),
  ).toBe('true')
})

it.each([
  [`${queue}/messages/cut-off`, 'This is not the address of a message'],
  ['queues/none.dlq/redrive', 'There is no such dead-letter queue'],
  ['queues/none.dlq/discard', 'There is no such dead-letter queue'],
  ['audit?by=nobody', 'Nothing is recorded'],
])('the address %s says what is the matter', async (path, sentence) => {
  const page = await rig.openAsGuest({ path })

  await page.getByText(sentence).waitFor()
})

it('a server without the console has the API alone', async () => {
  const bare = await serveShop(rig.shop, { server: { console: false } })
  onTestFinished(() => bare.stop())
  const headers = { authorization: `Basic ${Buffer.from('guest:guest').toString('base64')}` }
  const ask = async (url: string, path: string) => (await fetch(`${url}/${path}`, { headers })).status

  expect([await ask(bare.url, 'console/'), await ask(bare.url, 'api/v1/dlqs')]).toEqual([404, 200])
  expect(await ask(rig.server.url, 'console/')).toBe(200)
})
