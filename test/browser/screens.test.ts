import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Theme, useConsole } from './use-console.ts'

const folder = mkdtempSync(join(tmpdir(), 'warren-kept-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const rig = await useConsole({
  server: {
    backups: { folder },
    approval: { above: 2_000 },
    // Nobody listens there.
    webhooks: {
      to: [{ name: 'on-call', url: 'http://127.0.0.1:9/', on: { above: 10, taskFinished: true } }],
    },
  },
  before: async (shop) => {
    await shop.killInThePast({ dlq: 'billing.payments.dlq', failedIn: 'billing.payments', count: 3_000 })
    await shop.killInThePast({ dlq: 'mail.receipts.dlq', failedIn: 'mail.receipts', count: 240 })
  },
})
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** WARREN_SCREENSHOTS=1 takes those that the documents show. */
const pictures = process.env.WARREN_SCREENSHOTS ? 'docs/images' : '.cache/screenshots'
const shown = ['home', 'queue', 'message', 'redrive', 'task']
const queue = 'queues/billing.payments.dlq'

let message = ''
let task = ''
let backup = ''
let approval = ''

beforeAll(async () => {
  await rig.killOrders(60)
  const page = await rig.openAsGuest({ path: `${queue}/redrive?limit=5` })
  await page.getByLabel('Why').fill('The gateway is back.')
  await page.getByRole('button', { name: 'Re-drive 5 messages' }).click()
  await page.getByText('Nothing is lost').waitFor()
  task = new URL(page.url()).pathname.replace('/console/', '')
  // What was moved is no longer there.
  const { items } = await rig.ask<{ items: readonly { key: string }[] }>(
    `dlqs/billing.payments.dlq/messages?where=${encodeURIComponent('type:RefundRequested')}`,
  )
  message = `${queue}/messages/${items[0]!.key}`
  backup = await discardOne()
  approval = await askForApproval()
  mkdirSync(pictures, { recursive: true })
})

/** The screens, with what is there when all has come. */
const screens: readonly (readonly [string, () => string, string])[] = [
  ['home', () => '', 'The most urgent first'],
  ['queue', () => queue, 'order-'],
  ['filtered', () => `${queue}?where=type:OrderPlaced`, 'order-'],
  ['message', () => message, 'Its life'],
  ['bytes', () => `${message}?view=bytes`, '00000000'],
  ['edit', () => `${message}?edit=true`, 'What changes'],
  ['discard', () => `${queue}/discard?where=died%3E2h`, 'would leave the queue'],
  ['redrive', () => `${queue}/redrive?limit=10`, 'Route proved'],
  ['tasks', () => 'tasks', 'Re-drives of all servers'],
  ['task', () => task, 'Nothing is lost'],
  ['approvals', () => 'approvals', 'Re-drive up to'],
  ['approval', () => approval, 'The request, as it is carried out'],
  ['backups', () => 'backups', 'It may hold the only copy'],
  ['backup', () => backup, 'Backup of'],
  ['topology', () => 'topology', 'billing.payments.dlq'],
  ['webhooks', () => 'webhooks', 'failing'],
  ['audit', () => 'audit', 'session.open'],
  ['audit-of-one', () => 'audit?by=guest&target=billing.payments.dlq', 'the re-drive'],
  ['nowhere', () => 'none', 'There is no such page'],
  ['gone-queue', () => 'queues/none.dlq', 'There is no such dead-letter queue'],
  ['gone-message', () => `${queue}/messages/${'0'.repeat(32)}`, 'no longer in the queue'],
  ['gone-task', () => 'tasks/none', 'The task is not known here'],
]
const themes: readonly Theme[] = ['light', 'dark']

it.each(themes)('the login has no serious fault for who cannot see or click: %s', async (theme) => {
  const page = await rig.openPage({ theme })
  await page.getByLabel('Password').waitFor()

  expect(await seriousFindings(page)).toEqual([])
})

it.each(themes)(
  'no screen has one, nor is wider than a phone: %s',
  async (theme) => {
    const page = await rig.openAsGuest({ theme })
    const found: object[] = []
    for (const [name, path, sign] of screens) {
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.goto(`${rig.server.url}/console/${path()}`)
      await page.getByText(sign).first().waitFor()
      await takePicture(page, `${name}-${theme}`, shown.includes(name))
      found.push(...(await seriousFindings(page)).map((finding) => ({ name, ...finding })))
      await page.setViewportSize({ width: 360, height: 740 })
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      if (width > 360) found.push({ name, width })
      if (await isFooterOverPage(page)) found.push({ name, problem: 'the footer lies over the page' })
      found.push(...(await seriousFindings(page)).map((finding) => ({ name: `${name} at 360`, ...finding })))
      await takePicture(page, `${name}-${theme}-360`, name === 'queue')
    }

    expect(found).toEqual([])
  },
  300_000,
)

/** On a phone, what the side has on a wide screen follows the page. */
function isFooterOverPage(page: Page): Promise<boolean> {
  return page.evaluate(`(() => {
    const footer = document.querySelector('main > footer')
    const parts = [...footer.previousElementSibling.querySelectorAll('*')]
    // What scrolls by itself is cut off by what it is in.
    const isCut = (part) => part.parentElement.closest('[role=grid], pre, nav, ul.overflow-x-auto')
    const bottom = Math.max(...parts.filter((part) => !isCut(part)).map((part) => part.getBoundingClientRect().bottom))
    return footer.getBoundingClientRect().top < bottom - 1
  })()`)
}

/** All of them where nobody sees them, and in the documents those that are shown there. */
async function takePicture(page: Page, name: string, isShown: boolean): Promise<void> {
  if (process.env.WARREN_SCREENSHOTS && !isShown) return
  await page.screenshot({ path: `${pictures}/console-${name}.png` })
}

it.each(themes)('nor have the dialogs: %s', async (theme) => {
  const page = await rig.openAsGuest({ theme })
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  const help = await seriousFindings(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('mail')
  await page.getByRole('option', { name: /mail\.receipts\.dlq/ }).waitFor()
  const jump = await seriousFindings(page)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'mail.receipts.dlq' }).waitFor()
  await page.getByRole('button', { name: 'Look again' }).waitFor()
  await page.keyboard.press('/')
  await page.getByRole('option', { name: /^cause:/ }).waitFor()
  const completions = await seriousFindings(page)
  await page.getByRole('button', { name: /guest/ }).first().click()
  await page.getByText('What guest may do here').first().waitFor()
  const rights = await seriousFindings(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Add a note' }).click()
  const note = await seriousFindings(page)

  expect([...help, ...jump, ...completions, ...rights, ...note]).toEqual([])
})

/** The page of the request, which waits. */
async function askForApproval(): Promise<string> {
  const page = await rig.openAsGuest({ path: `${queue}/redrive` })
  await page.getByRole('button', { name: /^Ask for approval/ }).click()
  await page.getByText('asked by guest').waitFor()
  return new URL(page.url()).pathname.replace('/console/', '')
}

/** The page of the backup that it leaves. */
async function discardOne(): Promise<string> {
  const page = await rig.openAsGuest({ path: 'queues/warehouse.shipping.dlq/discard' })
  await page.getByRole('button', { name: /^Discard \d+ messages/ }).click()
  await page.getByRole('link', { name: 'See the backup' }).click()
  await page.getByRole('button', { name: 'Restore' }).waitFor()
  return new URL(page.url()).pathname.replace('/console/', '')
}

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

async function seriousFindings(page: Page): Promise<readonly { readonly id: string; readonly at: string }[]> {
  // By the debugger, which no policy of the page holds up.
  await page.evaluate(axe)
  const { violations } = await page.evaluate<{ violations: readonly Finding[] }>('axe.run()')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html.slice(0, 200)).join('\n') }))
}
