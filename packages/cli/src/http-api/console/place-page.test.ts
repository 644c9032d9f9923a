import { expect, it } from 'vitest'
import { placePage } from './place-page.ts'

const page = '<html><head></head></html>'

it.each([
  ['/console/', './'],
  ['/console/?where=a/b', './'],
  ['/console/tasks', './'],
  ['/console/queues/billing.dlq', '../'],
  ['/console/queues/a%2Fb/messages/0cc1', '../../../'],
  ['/console/tasks/', '../'],
])('the page of %s finds its parts at %s', (url, base) => {
  expect(placePage(page, url)).toContain(`<head>\n    <base href="${base}" />`)
})
