import { expect, test } from 'vitest'
import { compileTopology } from '../../topology/compile-topology.ts'
import type { TopologyDeclaration } from '../../topology/declaration.ts'
import type { LiveTopology } from '../../topology/live-topology.ts'
import { knownFlows } from './known-flows.ts'

const compile = (queues: TopologyDeclaration['queues']) =>
  compileTopology({ layout: 'isolated', queues }, { brokerVersion: '4.3' })
const { brokerVersion, exchanges, queues, bindings, flows } = compile({
  declared: { retry: { delays: ['15s'], maxAttempts: 7 } },
  found: {},
  plain: { deadLetter: false },
})
const live: LiveTopology = { brokerVersion, exchanges, queues, bindings, policies: [] }
const declared = flows.filter(({ queue }) => queue === 'declared')

test.each([
  ['a wait queue is asked for', { to: { kind: 'retry' } as const }],
  ['a count is to go on', { attempts: 'continue' as const }],
])('queues that nobody declared are known by what stands on the broker, where %s', (_title, asked) => {
  const known = knownFlows({ ...asked, flows: declared }, live)

  expect(known.map(({ queue }) => queue)).toEqual(['declared', 'found'])
  expect(known[0]).toBe(declared[0])
  expect(known[1]?.redrive.retry).toEqual({ exchange: 'retry.found', key: 'retry' })
  expect(known[1]?.attempts).toMatchObject({ kind: 'rejections', queue: 'found' })
})

test('the broker is not looked through for nothing, nor where it cannot be asked', () => {
  expect(knownFlows({ flows: declared }, live)).toBe(declared)
  expect(knownFlows({ flows: declared, to: { kind: 'exchange' }, attempts: 'reset' }, live)).toBe(declared)
  expect(knownFlows({ flows: declared, to: { kind: 'retry' } }, undefined)).toBe(declared)
  expect(knownFlows({}, undefined)).toEqual([])
})
