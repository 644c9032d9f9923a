import { expect, test } from 'vitest'
import { createMethodTable } from './method-table.ts'

const table = createMethodTable()
table.add('/', ['GET'])
table.add('/dlqs/:queue/discard', ['POST'])
table.add('/session', ['POST'])
table.add('/session', ['DELETE', 'POST'])
table.add('/docs/static/*', ['GET', 'HEAD'])

test.each([
  ['/', ['GET']],
  ['/session', ['DELETE', 'POST']],
  ['/dlqs/orders.dlq/discard', ['POST']],
  ['/dlqs/%2F/discard', ['POST']],
  ['/docs/static/a/b.js', ['GET', 'HEAD']],
  ['/dlqs//discard', []],
  ['/dlqs/discard', []],
  ['/session/', []],
  ['/docs/static', []],
  ['*', []],
  ['', []],
])('the address %s takes %j', (path, methods) => {
  expect(table.allowedAt(path)).toEqual(methods)
})
