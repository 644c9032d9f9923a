import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { logIn, useConsole } from './use-console.ts'

const rig = await useConsole()

interface Loaded {
  readonly name: string
  readonly encodedBodySize: number
}

it('the first page loads at most 150 kB of script and 20 kB of style, and asks no other origin', async () => {
  const page = await rig.openAsGuest()
  await page.getByText('No dead letters in 3 queues.').waitFor()

  const loaded = await page.evaluate<readonly Loaded[]>(
    "performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => ({ name, encodedBodySize }))",
  )
  const sum = (ending: string): number =>
    loaded
      .filter(({ name }) => name.endsWith(ending))
      .reduce((total, each) => total + each.encodedBodySize, 0)
  expect(new Set(loaded.map(({ name }) => new URL(name).origin))).toEqual(new Set([rig.server.url]))
  expect(sum('.js')).toBeGreaterThan(50_000)
  expect(sum('.js')).toBeLessThanOrEqual(150_000)
  expect(sum('.css')).toBeLessThanOrEqual(20_000)
})

it('what is loaded later is at most 250 kB of script, in all', async () => {
  const page = await rig.openAsGuest()
  await page.getByText('No dead letters in 3 queues.').waitFor()
  const first = await page.evaluate<readonly string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1))",
  )
  const folder = 'packages/cli/dist/console/assets'
  const later = readdirSync(folder).filter(
    (name) => name.endsWith('.js.gz') && !first.includes(name.slice(0, -'.gz'.length)),
  )

  expect(later.length).toBeGreaterThan(5)
  expect(later.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)).toBeLessThanOrEqual(250_000)
})

it('ten thousand queues are at most a hundred rows on the page, and the last can be reached', async () => {
  const items = Array.from({ length: 10_000 }, (_, index) => ({
    queue: `team.${index}.dlq`,
    type: 'quorum',
    messages: 10_000 - index,
    total: 10_000 - index,
    unacknowledged: 0,
    perSecond: 0,
    originConsumers: 1,
    oldestDeath: null,
    mainCause: null,
    consumers: 0,
    sources: [],
    knownBy: 'name',
  }))
  const change = JSON.stringify({ isWhole: true, items, gone: [] })
  const page = await rig.openPage()
  await page.route('**/api/v1/events', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: `id: 1\nevent: dlqs\ndata: ${change}\n\n` }),
  )
  await logIn(page)
  await page.getByRole('link', { name: 'team.0.dlq' }).waitFor()
  const list = page.getByRole('grid', { name: 'Dead-letter queues' })

  expect(await list.getAttribute('aria-rowcount')).toBe('10000')
  // What a screen reader reads as the current row is one.
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  const current = await list.getAttribute('aria-activedescendant')
  expect(await page.locator(`[id="${current}"]`).getAttribute('aria-rowindex')).toBe('2')
  expect(current).not.toMatch(/\s/)
  expect(await list.getByRole('row').count()).toBeLessThanOrEqual(100)
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await page.getByRole('link', { name: 'team.9999.dlq' }).waitFor()
  expect(await list.getByRole('row').count()).toBeLessThanOrEqual(100)
})
