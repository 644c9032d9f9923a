import { expect, it } from 'vitest'
import { readReturnPath } from './read-return-path.ts'

const server = 'https://example.com/ops/warren'

it.each([
  '/ops/warren/console/',
  '/ops/warren/vhosts/orders/console/queues/a.dlq?where=type:a',
  '/ops/warren/vhosts/%2F/docs',
])('%s is a page to come back to', (path) => {
  expect(readReturnPath(path, server)).toBe(`https://example.com${path}`)
})

it.each([
  '/console/',
  '//elsewhere.com/ops/warren/console/',
  '/ops/warren/api/v1/oidc/logout',
  '/ops/warren/vhosts/orders/api/v1/oidc/logout',
  '/ops/warren/vhosts/orders/%61pi/v1/session',
  '/ops/warren/vhosts/orders/console/../api/v1/session',
  '/ops/warren/vhosts/a/vhosts/b/console/',
  '/ops/warren/%76hosts/orders/api/v1/session',
])('%s is none', (path) => {
  expect(readReturnPath(path, server)).toBeUndefined()
})
