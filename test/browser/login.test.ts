import { expect, it, onTestFinished } from 'vitest'
import { clientId, startOidcProvider } from '../integration/http-api/oidc-provider.ts'
import { takeFreePorts } from '../support/node/free-ports.ts'
import { serveShop } from './serve-shop.ts'
import { makeToken, useConsole } from './use-console.ts'

const rig = await useConsole()

/** A server whose browsers log in at a provider, which knows dana. */
async function serveWithProvider(auth: object = {}) {
  const provider = await startOidcProvider()
  const [port = 0] = await takeFreePorts(1)
  const oidc = {
    issuer: provider.issuer,
    audience: 'warren',
    clientId,
    roles: { sre: 'operator' },
    publicUrl: `http://127.0.0.1:${port}`,
  }
  const server = await serveShop(rig.shop, { server: { auth: { oidc, ...auth } }, port })
  onTestFinished(async () => {
    await server.stop()
    provider.close()
  })
  return { provider, server }
}

it('a person logs in at the provider, and comes back to the address that was asked for', async () => {
  const { server } = await serveWithProvider()
  const page = await rig.openPage({ url: server.url, path: 'queues/mail.receipts.dlq?where=type:Order' })

  await page.getByRole('link', { name: 'Log in with single sign-on' }).click()

  await page.getByRole('heading', { name: 'mail.receipts.dlq' }).waitFor()
  expect(new URL(page.url()).searchParams.get('where')).toBe('type:Order')
  await page.getByRole('button', { name: /dana/ }).click()
  await page.getByText('operator · vhost /').first().waitFor()
  await page.getByRole('button', { name: 'Log out' }).first().click()
  await page.getByRole('link', { name: 'Log in with single sign-on' }).waitFor()
})

it('a person whom the provider gives no role reads why, and can try again', async () => {
  const { server, provider } = await serveWithProvider()
  provider.logInAs({ sub: 'eve', roles: ['guests'] })
  const page = await rig.openPage({ url: server.url })

  await page.getByRole('link', { name: 'Log in with single sign-on' }).click()

  await page.getByText('none of your roles there gives you a role here').waitFor()
  provider.logInAs({ sub: 'eve', roles: ['sre'] })
  await page.getByRole('link', { name: 'Log in again' }).click()
  await page.getByText('You are eve.').or(page.getByText('Warren')).first().waitFor()
  await page.goto(`${server.url}/console/`)
  await page.getByText('No dead letters in 3 queues.').waitFor()
})

it('a server without accounts asks for the provider or for a token, and for nothing else', async () => {
  const operator = makeToken('operator')
  const { server } = await serveWithProvider({ accounts: false, tokens: [operator.stored] })
  const page = await rig.openPage({ url: server.url })

  await page.getByText('With an API token of this server.').waitFor()
  expect(await page.getByLabel('Password').count()).toBe(0)
  await page.getByRole('link', { name: 'Log in with single sign-on' }).waitFor()
  await page.getByLabel('Token').fill(operator.token)
  await page.keyboard.press('Enter')

  await page.getByText('No dead letters in 3 queues.').waitFor()
})
