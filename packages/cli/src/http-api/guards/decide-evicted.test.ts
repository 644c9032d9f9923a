import { expect, it } from 'vitest'
import { decideEvicted } from './decide-evicted.ts'

const limits = { most: 4, mostOfNetwork: 3 }
const bodiesOf = (networks: string) => [...networks].map((network, at) => ({ network, at }))

it.each([
  ['nothing comes', '', undefined],
  ['there is room', 'aabb', undefined],
  ['a network has as many as it may', 'aaa', undefined],
  ['a network has more: its oldest', 'baaaa', 1],
  ['there are too many: the oldest of who has most', 'baacc', 1],
  ['there are too many of one each: the oldest', 'abcde', 0],
])('where %s', (_, networks, at) => {
  expect(decideEvicted(bodiesOf(networks), limits)?.at).toBe(at)
})
