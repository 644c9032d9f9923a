import { expect, it, onTestFinished } from 'vitest'
import { connect } from 'warrenmq'
import { serveShop } from './serve-shop.ts'
import { logIn, useConsole } from './use-console.ts'

const rig = await useConsole()

it('the first page names the vhosts that a person may see, with what is dead there, and one login opens them', async () => {
  const permissions = { configure: '.*', write: '.*', read: '.*' }
  const queue = { durable: true, arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': -1 } }
  for (const vhost of ['orders', 'salaries']) {
    await rig.management('PUT', `/api/vhosts/${vhost}`)
    await rig.management('PUT', `/api/permissions/${vhost}/guest`, permissions)
    await rig.management('PUT', `/api/queues/${vhost}/of.${vhost}.dlq`, queue)
  }
  await rig.management('PUT', '/api/users/ann', { password: 'ann', tags: 'monitoring' })
  for (const vhost of ['%2F', 'orders'])
    await rig.management('PUT', `/api/permissions/${vhost}/ann`, permissions)
  const url = `amqp://guest:guest@${new URL(rig.shop.broker.url).host}/orders`
  const there = await connect(url)
  const publisher = there.publisher()
  for (let at = 0; at < 7; at += 1) await publisher.publish({ key: 'of.orders.dlq', body: { at } })
  await there.close()
  const server = await serveShop(rig.shop, { server: { vhosts: ['orders', 'salaries'] } })
  onTestFinished(() => server.stop())

  const page = await rig.openPage({ url: server.url })
  await logIn(page, 'ann')
  const vhosts = page.getByRole('navigation', { name: 'Vhosts' })
  await vhosts.getByRole('link', { name: 'orders 7 dead letters' }).waitFor()
  expect(await vhosts.getByRole('link').count()).toBe(2)
  await vhosts.getByRole('link', { name: 'orders' }).click()

  await page.getByText('7 messages in 1 of 1 queue').waitFor()
  await page.getByText('viewer · vhost orders').first().waitFor()
  expect(new URL(page.url()).pathname).toBe('/vhosts/orders/console/')
  await page.getByRole('link', { name: 'of.orders.dlq' }).click()
  await page.getByText('7 messages', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Dead letters' }).first().click()
  await page.getByRole('navigation', { name: 'Vhosts' }).getByRole('link', { name: '/' }).click()
  await page.getByText('viewer · vhost /').first().waitFor()
  await page.getByRole('button', { name: 'Log out' }).first().click()
  await page.goto(`${server.url}/vhosts/orders/console/`)
  await page.getByRole('button', { name: 'Log in' }).waitFor()
})
