import { expect, it, onTestFinished } from 'vitest'
import { serveShop } from './serve-shop.ts'
import { logIn, useConsole } from './use-console.ts'

const rig = await useConsole()

it('a target that goes away while a task runs is told, nothing is lost, and the balance is true', async () => {
  const [dlq, target] = ['warehouse.shipping.dlq', 'warehouse.shipping']
  await rig.shop.killInThePast({ dlq, failedIn: target, count: 40 })
  rig.shop.mend()
  const before = rig.shop.handled.length
  const page = await rig.openAsGuest({ path: `queues/${dlq}/redrive?rate=4` })
  await page.getByRole('button', { name: 'Re-drive 40 messages' }).click()
  await page.getByText('running').first().waitFor()
  await expect.poll(() => rig.shop.handled.length).toBeGreaterThan(before)

  await rig.management('DELETE', `/api/queues/%2F/${target}`)

  const verdict = page.getByText(/^Nothing is lost: /)
  await verdict.waitFor()
  const [moved, failed, kept, stillThere, present] = (await verdict.textContent())!.match(/\d+/g)!.map(Number)
  expect(present).toBe(40)
  expect(moved! + failed! + kept! + stillThere!).toBe(40)
  expect(moved).toBeLessThan(40)
  expect(rig.shop.handled).toHaveLength(before + moved!)
  expect(rig.shop.broker.inspect(dlq)?.counts.ready).toBe(40 - moved!)
  await page
    .getByText(/Why some failed|Why others stayed/)
    .first()
    .waitFor()
})

it('a server that is killed in the middle of a task is told, and its task can be resumed when it is back', async () => {
  const dlq = 'mail.receipts.dlq'
  await rig.shop.killInThePast({ dlq, failedIn: 'mail.receipts', count: 60 })
  const before = rig.shop.handled.length
  const second = await serveShop(rig.shop)
  const page = await rig.openAsGuest({ url: second.url, path: `queues/${dlq}/redrive?rate=10` })
  await page.getByRole('button', { name: 'Re-drive 60 messages' }).click()
  await expect.poll(() => rig.shop.handled.length).toBeGreaterThan(before)

  await second.kill()
  await page.getByText('The server does not answer.').waitFor()
  const third = await serveShop(rig.shop, { port: Number(new URL(second.url).port) })
  onTestFinished(() => third.stop())
  await logIn(page)
  await page.getByText('interrupted').first().waitFor({ timeout: 100_000 })
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText(/^Nothing is lost: /).waitFor()

  await expect.poll(() => rig.shop.broker.inspect(dlq)?.counts.ready).toBe(0)
  expect(new Set(rig.shop.handled.slice(before)).size).toBe(60)
})

/** As its time ends it: the page has not been asked. */
const endSession = `fetch('/api/v1/session').then((answer) => answer.json()).then(({ csrfToken }) =>
  fetch('/api/v1/session', { method: 'DELETE', headers: { 'x-csrf-token': csrfToken } }))`

it('a session that ends asks who it is, and gives back what was being written, to that person alone', async () => {
  const dlq = 'billing.payments.dlq'
  await rig.addAccount('ann')
  await rig.shop.killInThePast({ dlq, failedIn: 'billing.payments', count: 3 })
  const page = await rig.openAsGuest({ path: `queues/${dlq}` })
  await page.getByRole('grid').getByRole('link').first().click()
  await page.getByText('Its life').waitFor()
  await page.keyboard.press('e')
  const body = page.getByLabel('Body')
  await body.fill('{"half":"written"}')

  await page.evaluate(endSession)
  await page.getByText('Your session has ended.').waitFor()
  expect(await body.isVisible()).toBe(false)
  await logIn(page)
  await expect.poll(() => body.inputValue()).toBe('{"half":"written"}')
  await page.evaluate(endSession)
  await page.getByText('Your session has ended.').waitFor()
  await logIn(page, 'ann')

  await page.getByRole('heading', { level: 1, name: /^Order|^Refund/ }).waitFor()
  await expect.poll(() => body.inputValue()).toContain('"order"')
  expect(await page.content()).not.toContain('half')
  await rig.management('DELETE', `/api/queues/%2F/${dlq}/contents`)
})

it('a page that fails says so, and leads on', async () => {
  const page = await rig.openPage({ path: 'topology' })
  await page.route('**/api/v1/topology/live', (route) => route.fulfill({ json: { brokerVersion: '4.3.6' } }))
  await logIn(page)
  await page.getByText('The console could not show it').waitFor()

  await page.unroute('**/api/v1/topology/live')
  await page.getByRole('link', { name: 'See the dead-letter queues' }).click()

  await page.getByText('The most urgent first').waitFor()
})

it('an alarm of the broker, and its end, are told by themselves', async () => {
  const page = await rig.openAsGuest()
  await page.getByRole('link', { name: 'billing.payments.dlq' }).waitFor()

  rig.shop.broker.faults.block('low on memory')
  await page.getByText('RabbitMQ has an alarm').waitFor()
  rig.shop.broker.faults.unblock()

  await page.getByText('RabbitMQ has an alarm').waitFor({ state: 'hidden' })
})

it('a queue that is deleted while its page is open is told, and its page comes back with it', async () => {
  const name = 'passing.dlq'
  const place = `/api/queues/%2F/${name}`
  const queue = { durable: true, arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': -1 } }
  await rig.management('PUT', place, queue)
  await rig.shop.publishTo(name, 3)
  const page = await rig.openAsGuest({ path: `queues/${name}` })
  await page.getByText('3 messages').waitFor()

  await rig.management('DELETE', place)
  await page.getByText('There is no such dead-letter queue').waitFor()
  await rig.management('PUT', place, queue)

  // The snapshot is still that of before, and the page says so.
  await page.getByText(/3 fewer since/).waitFor()
})

it('a broker that goes away is told, and everything is as before when it is back', async () => {
  const page = await rig.openAsGuest()
  await page.getByRole('link', { name: 'billing.payments.dlq' }).waitFor()

  await rig.shop.broker.faults.crash()
  await page.getByText('The server has lost RabbitMQ').waitFor()
  await rig.shop.broker.faults.restart()

  await page.getByText('The server has lost RabbitMQ').waitFor({ state: 'hidden', timeout: 60_000 })
  await page.getByRole('link', { name: 'billing.payments.dlq' }).waitFor()
})
