import { expect, it, onTestFinished } from 'vitest'
import { serveShop } from './serve-shop.ts'
import { startProxy } from './start-proxy.ts'
import { logIn, logInWithToken, makeToken, useConsole } from './use-console.ts'

const viewer = makeToken('viewer')
const rig = await useConsole({
  server: { auth: { tokens: [viewer.stored] }, payloads: { hideFrom: ['viewer'] } },
})

it('wrong credentials are told in a sentence, and the right ones lead to the address that was asked for', async () => {
  const page = await rig.openPage({ path: 'topology' })
  await page.getByLabel('Name').fill('guest')
  await page.getByLabel('Password').fill('wrong')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('These credentials are unknown here').waitFor()

  await logIn(page)

  await page.getByRole('heading', { name: 'Topology' }).waitFor()
})

it('what a message holds is text, in its name, its headers and its body', async () => {
  const markup = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
  await rig.shop.publish({
    key: 'mail.receipts.dlq',
    messageId: markup,
    type: `${markup}\u202egnp.exe`,
    headers: { [markup]: markup, 'x-final-error': `${markup}\u001b[31mred` },
    body: `${markup}${'wide'.repeat(500_000)}`,
  })
  const page = await rig.openAsGuest({ path: 'queues/mail.receipts.dlq' })
  await page.getByRole('link', { name: /^<img src=x/ }).click()
  await page.getByText('Its life').waitFor()

  expect(await page.locator('pre').first().textContent()).toContain('<script>window.hacked=1</script>')
  expect(await page.evaluate('window.hacked')).toBeUndefined()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280)
  expect(await page.locator('main img, main script').count()).toBe(0)
})

it('a queue with a hostile name, and bodies that are not text, break no page, also on a phone', async () => {
  const name = `🐇 <img src=x onerror="window.hacked=1">\u202e"${'very-long-'.repeat(12)}.dlq`
  const queue = { durable: true, arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': -1 } }
  await rig.management('PUT', `/api/queues/%2F/${encodeURIComponent(name)}`, queue)
  await rig.shop.publish({
    key: name,
    messageId: 'odd',
    type: '👩‍👩‍👧‍👦\u0007\u001b[2J\u001b[31m',
    headers: {
      'ansi \u001b[31m 🐇': `\u001b[2J${'👩‍👩‍👧‍👦'.repeat(40)}`,
      null: null,
      deep: { a: [{ b: '\u202e' }] },
    },
    body: Buffer.concat([Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0, 1]), Buffer.alloc(100_000, 0xf0)]),
  })
  const page = await rig.openAsGuest({ path: `queues/${encodeURIComponent(name)}`, width: 360 })
  const widthOf = () => page.evaluate('document.documentElement.scrollWidth')
  await page.getByText('1 message', { exact: true }).waitFor()
  expect(await widthOf()).toBe(360)

  await page.getByRole('grid').getByRole('link').first().click()
  await page.getByText('bytes that are not text, in base64').waitFor()
  expect(await widthOf()).toBe(360)
  await page
    .getByRole('link', { name: 'Bytes' })
    .or(page.getByRole('button', { name: 'Bytes' }))
    .click()
  await page.getByText('00000000').waitFor()

  expect(await widthOf()).toBe(360)
  expect(await page.evaluate('window.hacked')).toBeUndefined()
  expect(await page.locator('main img, main script').count()).toBe(0)
})

it('a viewer sees what they may not do and why, and no body ever reaches the page', async () => {
  await rig.shop.publish({
    key: 'warehouse.shipping.dlq',
    messageId: 'secret',
    body: { pin: 'very-secret-1234' },
  })
  const answers: string[] = []
  const page = await rig.openPage({ path: 'queues/warehouse.shipping.dlq' })
  page.on('response', async (response) => answers.push(await response.text().catch(() => '')))
  await logInWithToken(page, viewer.token)
  await page.getByRole('link', { name: 'secret' }).first().waitFor()

  const redrive = page.getByRole('button', { name: 'Re-drive…' })
  expect(await redrive.getAttribute('title')).toBe('The role “viewer” may not re-drive messages.')
  await page.keyboard.press('r')
  expect(page.url()).not.toContain('redrive')
  await page.getByRole('grid').getByRole('link', { name: 'secret' }).click()
  await page.getByText('Your role may not see message bodies.').waitFor()
  const message = new URL(page.url())
  for (const address of [
    `${message.href}?view=bytes`,
    `${message.href}?view=as-it-came`,
    `${message.href}?edit=true`,
  ]) {
    await page.goto(address)
    await page
      .getByText(/may not/)
      .first()
      .waitFor()
  }
  for (const path of ['redrive', 'discard']) {
    await page.goto(`${rig.server.url}/console/queues/warehouse.shipping.dlq/${path}`)
    await page
      .getByText(/may not (re-drive|remove)/)
      .first()
      .waitFor()
  }
  const storage = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML])',
  )
  expect(`${storage}${answers.join('')}`).not.toContain('very-secret-1234')
})

it('who logs out leaves nothing of what they saw to the next person in the same tab', async () => {
  await rig.shop.publish({
    key: 'billing.payments.dlq',
    messageId: 'mine',
    body: { pin: 'very-secret-5678' },
  })
  const page = await rig.openAsGuest({ path: 'queues/billing.payments.dlq' })
  await page.getByRole('grid').getByRole('link', { name: 'mine' }).click()
  await page.getByText('very-secret-5678').waitFor()

  await page.getByRole('button', { name: 'Log out' }).first().click()
  await logInWithToken(page, viewer.token)

  await page.getByText('Your role may not see message bodies.').waitFor()
  expect(await page.content()).not.toContain('very-secret-5678')
})

it('a server that goes away is told, and the page comes back by itself when it does', async () => {
  const second = await serveShop(rig.shop)
  const page = await rig.openAsGuest({ url: second.url })
  await page.getByText('The most urgent first').waitFor()

  await second.stop()
  await page.getByText('The server does not answer.').waitFor()
  const third = await serveShop(rig.shop, { port: Number(new URL(second.url).port) })
  onTestFinished(() => third.stop())

  // Its sessions went with it, so it asks who it is; then all is as before.
  await logIn(page)
  await page.getByText('The most urgent first').waitFor()
  await expect.poll(() => page.getByText('The server does not answer.').count()).toBe(0)
})

it.each([
  ['strips', true],
  ['does not strip', false],
])('works under a path that a proxy %s', async (_, strips) => {
  const path = '/ops/warren'
  const behind = await serveShop(rig.shop, { server: { path } })
  onTestFinished(() => behind.stop())
  const url = await startProxy({ to: () => behind.url, path, strips })
  const page = await rig.openAsGuest({ url, path: 'queues/mail.receipts.dlq' })

  await page.getByRole('heading', { name: 'mail.receipts.dlq' }).waitFor()
  await page.getByRole('link', { name: 'Dead letters' }).first().click()
  await page.getByText('The most urgent first').waitFor()
  expect(new URL(page.url()).pathname).toBe('/ops/warren/console/')
  // Where they were, and what the browser does on its own.
  await page.reload()
  await page.getByText('The most urgent first').waitFor()
  const headers = { authorization: `Basic ${Buffer.from('guest:guest').toString('base64')}` }
  const made = await fetch(`${url}/api/v1/dlqs/mail.receipts.dlq/snapshots`, { method: 'POST', headers })
  expect(made.headers.get('location')).toMatch(
    /^\/ops\/warren\/api\/v1\/dlqs\/mail\.receipts\.dlq\/snapshots\//,
  )
})
