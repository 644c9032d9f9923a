import { expect, it } from 'vitest'
import { sayResult } from './say-result.ts'

const id = '04b35e98-9328-468f-9e15-75ed4ef55df7'

it.each([
  ['session.open', 'begun', 'started', undefined],
  ['redrive', `begun ${id}: {"queue":"a.dlq","limit":5,"reason":"back"}`, 'started: at most 5', 'task'],
  [
    'redrive',
    `begun ${id}: {"queue":"a.dlq","where":"type:Ord`,
    'started: {"queue":"a.dlq","where":"type:Ord',
    'task',
  ],
  ['redrive', `done ${id}: 5 moved, 0 failed, 0 kept`, 'done: 5 moved, 0 failed, 0 kept', 'task'],
  [
    'redrive',
    `begun ${id}: {"queue":"a.dlq","where":"type:A","limit":62724,"canary":{"messages":20},"stopWhenDead":"5%"}`,
    'started: where type:A, at most 62,724, tries 20 first, stops if 5% die again',
    'task',
  ],
  ['redrive', `cancelled ${id}: 2000 moved, 0 failed`, 'cancelled: 2,000 moved, 0 failed', 'task'],
  ['task.pause', id, '', 'task'],
  ['discard', `done ${id}: 12 removed, 0 left`, 'done: 12 removed, 0 left', 'backup'],
  ['approval.grant', `redrive ${id}, asked for by ann`, 'redrive, asked for by ann', 'approval'],
  ['refused', 'API_FORBIDDEN', 'API_FORBIDDEN', undefined],
] as const)('%s: %s', (action, result, words, kind) => {
  const said = sayResult({ action, result })

  expect(said.words).toBe(words)
  expect(said.about).toEqual(kind && { kind, id })
})
