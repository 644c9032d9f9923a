import { expect, it } from 'vitest'
import { readPublicPath, takeOffOrigin, takeOffPath } from './public-path.ts'

it.each([
  ['/ops/warren/console/queues/a%2Fb?where=x', '/console/queues/a%2Fb?where=x'],
  ['/ops/warren', '/'],
  ['/ops/warren?a=1', '/?a=1'],
  ['/ops/warren/ops/warren/docs', '/ops/warren/docs'],
  ['/console/', '/console/'],
  ['/ops/warrens/console/', '/ops/warrens/console/'],
  ['/x/ops/warren/console/', '/x/ops/warren/console/'],
])('under /ops/warren the request for %s asks for %s', (url, asked) => {
  expect(takeOffPath(url, '/ops/warren')).toBe(asked)
})

it.each([
  ['http://here:1/vhosts/a/api?b=http://c/d', '/vhosts/a/api?b=http://c/d'],
  ['HTTPS://here', '/'],
  ['http://here?a=1', '/?a=1'],
  ['/docs?to=http://here/', '/docs?to=http://here/'],
  ['*', '*'],
])('the request for %s asks this server for %s', (url, asked) => {
  expect(takeOffOrigin(url)).toBe(asked)
})

it('without a path every request is as it came', () => {
  expect(takeOffPath('/ops/warren/console/', '')).toBe('/ops/warren/console/')
})

it.each([
  ['/ops/warren', '/ops/warren'],
  ['/ops/warren/', '/ops/warren'],
  ['/', ''],
  ['', ''],
])('%j is read as %j', (given, path) => {
  expect(readPublicPath('path', given)).toBe(path)
})

it.each(['ops', '//ops', '/ops//warren', '/..', '/ops/../x', '/a b', '/a%2Fb', '/ops?x', 'https://x/ops'])(
  '%j is refused in a sentence',
  (given) => {
    expect(() => readPublicPath('path', given)).toThrow(/^server\.path must be a path such as \/ops\/warren/)
  },
)
