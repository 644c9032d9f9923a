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

it('on a real RabbitMQ a cause is found, its messages are put back, and the receipt adds up', async () => {
  await shop.placeOrders(20)
  const queue = 'billing.payments.dlq'
  const place = `/api/queues/${encodeURIComponent(vhost.vhost)}/${queue}`
  const depth = async () => (await vhost.management<{ readonly messages?: number }>('GET', place)).messages
  await eventually(async () => expect(await depth()).toBe(12), { timeoutMs: 60_000 })
  const page = await open(browser, { url: server.url, path: `queues/${queue}` })
  await logIn(page, vhost.username, vhost.password)
  await page.getByText('12 messages').waitFor()
  shop.mend()

  await page.getByRole('button', { name: /PaymentDeclinedError/ }).click()
  await page.getByText('6 of 12 match').waitFor()
  await page.keyboard.press('r')
  await page.getByText('Route proved: reaches billing.payments').waitFor()
  await page.getByRole('button', { name: 'Re-drive 6 messages' }).click()

  await page.getByText(/Nothing is lost: 6 moved \+ 0 failed \+ 6 kept \+ 0 still there = 12/).waitFor()
  await eventually(() => expect(shop.handled).toHaveLength(6))
})
