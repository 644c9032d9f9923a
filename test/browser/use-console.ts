import { createHash, randomBytes } from 'node:crypto'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import type { EmbeddedBroker } from 'warrenmq/testing'
import { callManagement } from '../support/call-management.ts'
import { eventually } from '../support/eventually.ts'
import { findProgram } from '../support/services/find-program.ts'
import { type FailingShop, openFailingShop } from './open-shop.ts'
import { type ServedShop, type ServeOptions, serveShop } from './serve-shop.ts'

export type Theme = 'light' | 'dark'

export interface PageOptions {
  /** Below `/console/`. @default '' */
  readonly path?: string
  readonly theme?: Theme
  readonly width?: number
  /** @default that of the server */
  readonly url?: string
}

export interface ConsoleRig {
  readonly shop: FailingShop & { readonly broker: EmbeddedBroker }
  readonly server: ServedShop
  /** A browser of somebody who has never been here. */
  openPage(options?: PageOptions): Promise<Page>
  /** The same, logged in with the account that the broker has. */
  openAsGuest(options?: PageOptions): Promise<Page>
  /** One more account of the broker, for a second person; its password is its name. */
  addAccount(name: string): Promise<void>
  /** Places orders and waits until each of them is dead. */
  killOrders(count: number): Promise<void>
  /** A request to the broker's own HTTP API. */
  management(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown>
  /** What a program gets. */
  ask<Answer>(path: string): Promise<Answer>
}

/** A token of this role, and what the config says of it. */
export function makeToken(role: string): { readonly token: string; readonly stored: object } {
  const token = `warren_${randomBytes(32).toString('base64url')}`
  const hash = `sha256:${createHash('sha256').update(token).digest('hex')}`
  return { token, stored: { name: `a ${role}`, role, hash } }
}

export interface ConsoleOptions extends ServeOptions {
  /** What has happened before there was a server. */
  readonly before?: (shop: FailingShop) => Promise<void>
}

/** Call it once, at the top of a test file: a shop, a server as it is installed, and Debian's Chromium. */
export async function useConsole(options: ConsoleOptions = {}): Promise<ConsoleRig> {
  const browser = await launchBrowser()
  const shop = await openFailingShop()
  await options.before?.(shop)
  const server = await serveShop(shop, options)
  afterAll(async () => {
    await browser.close()
    await server.stop()
    await shop.close()
  })
  const ask = (path: string) => askServer(server, path)
  const access = {
    managementUrl: withoutAccount(shop.broker.managementUrl),
    username: 'guest',
    password: 'guest',
  }
  const management: ConsoleRig['management'] = (method, path, body) =>
    callManagement(access, method, path, body)
  const openPage = (page: PageOptions = {}) => open(browser, { url: server.url, ...page })
  return {
    shop,
    server,
    openPage,
    ask: ask as ConsoleRig['ask'],
    management,
    addAccount: async (name) => {
      await management('PUT', `/api/users/${name}`, { password: name, tags: 'administrator' })
      await management('PUT', `/api/permissions/%2F/${name}`, { configure: '.*', write: '.*', read: '.*' })
    },
    openAsGuest: async (page) => {
      const opened = await openPage(page)
      await logIn(opened)
      return opened
    },
    killOrders: async (count) => {
      const before = await countDead(server)
      await shop.placeOrders(count)
      await eventually(async () => expect(await countDead(server)).toBe(before + count))
    },
  }
}

function withoutAccount(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

/** Debian's Chromium. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = await findProgram({ name: 'chromium', debianPackage: 'chromium' })
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

export async function open(
  browser: Browser,
  { url, path = '', theme = 'light', width = 1280 }: PageOptions,
): Promise<Page> {
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 800 } })
  const page = await context.newPage()
  await page.goto(`${url}/console/${path}`)
  return page
}

/** As somebody who was given a token. */
export async function logInWithToken(page: Page, token: string): Promise<void> {
  await page.getByRole('button', { name: 'Use an API token instead' }).click()
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Log out' }).first().waitFor()
}

/** As a person does who has only a keyboard. */
export async function logIn(page: Page, name = 'guest', password = name): Promise<void> {
  await page.getByLabel('Name', { exact: true }).focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.type(name)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Control+A')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Log out' }).first().waitFor()
}

async function askServer({ url }: ServedShop, path: string): Promise<unknown> {
  const authorization = `Basic ${Buffer.from('guest:guest').toString('base64')}`
  const answer = await fetch(`${url}/api/v1/${path}`, { headers: { authorization } })
  return answer.json()
}

async function countDead(server: ServedShop): Promise<number> {
  const { items } = (await askServer(server, 'dlqs')) as { items: readonly { messages: number }[] }
  return items.reduce((sum, { messages }) => sum + messages, 0)
}
