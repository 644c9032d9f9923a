import { expect, it } from 'vitest'
import { findMirroringProblem } from './mirroring-problem.ts'

it.each([
  [{ 'max-length': 5 }],
  [{ 'ha-mode': 'all', 'ha-sync-mode': 'automatic', 'ha-sync-batch-size': 50 }],
  [{ 'ha-mode': 'exactly', 'ha-params': 2, 'ha-promote-on-shutdown': 'always' }],
  [{ 'ha-mode': 'nodes', 'ha-params': ['rabbit@one'], 'ha-promote-on-failure': 'when-synced' }],
])('%j is taken', (definition) => {
  expect(findMirroringProblem(definition)).toBeUndefined()
})

it.each([
  [{ 'ha-params': 2 }, 'ha-mode must be specified'],
  [{ 'ha-mode': 'zzz' }, '<<"zzz">> is not a valid ha-mode value'],
  [{ 'ha-mode': 'all', 'ha-params': 2 }, 'does not take parameters'],
  [{ 'ha-mode': 'exactly' }, 'takes an integer, none given'],
  [{ 'ha-mode': 'nodes', 'ha-params': [] }, 'list must be non-empty'],
  [{ 'ha-mode': 'nodes', 'ha-params': [1] }, '[1] was not a string'],
  [{ 'ha-mode': 'nodes', 'ha-params': 'one' }, 'takes a list of strings'],
  [{ 'ha-mode': 'all', 'ha-sync-batch-size': 0 }, 'greater than 0, 0 given'],
  [{ 'ha-mode': 'all', 'ha-sync-mode': 'x' }, 'must be "manual" or "automatic", got <<"x">>'],
])('%j is refused: %s', (definition, problem) => {
  expect(findMirroringProblem(definition)).toContain(problem)
})
