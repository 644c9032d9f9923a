import { expect, test } from 'vitest'
import { nameTargets } from './name-targets.ts'

const route = (exchange: string, key: string) => ({ exchange, key })

test.each([
  [
    'a queue by its name, blanks and all',
    [route('', 'my scans'), route('', 'your scans')],
    'my scans',
    'my scans',
  ],
  [
    'a key without its exchange',
    [route('scans', 'collection.scan')],
    'scans collection.scan',
    'collection.scan',
  ],
  ['a key with blanks', [route('scans', 'my scans')], 'scans my scans', 'my scans'],
  ['a key of two exchanges with each', [route('a', 'scan'), route('b', 'scan')], 'b scan', 'b scan'],
  ['a route of two types once', [route('a', 'scan'), route('a', 'scan')], 'a scan', 'scan'],
  ['what is no route as it is', [route('', 'work')], 'elsewhere scans', 'elsewhere scans'],
])('names %s', (_, routes, target, name) => {
  const nameOf = nameTargets({ routes: Object.fromEntries(routes.map((each, at) => [`Type${at}`, each])) })

  expect(nameOf(target)).toBe(name)
})
