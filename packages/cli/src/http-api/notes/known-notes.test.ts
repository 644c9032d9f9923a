import { expect, it } from 'vitest'
import type { Note } from '../contract/contract.ts'
import type { Notice } from '../notices/notice.ts'
import { type KnownNotes, takeNoteNotice } from './known-notes.ts'

const onQueue = (queue: string, text: string): Note => ({
  id: `queue ${queue}`,
  about: 'queue',
  queue,
  task: null,
  text,
  by: 'ann',
  at: '2030-01-31T18:00:00.000Z',
})
const ofTask = (task: string, by: string): Note => ({
  id: `task ${task}`,
  about: 'task',
  queue: 'a.dlq',
  task,
  text: '',
  by,
  at: '2030-01-31T18:00:00.000Z',
})
const written = (note: Note): Notice => ({ kind: 'note-written', note })

function known(notices: readonly Notice[], isSigned = true): KnownNotes {
  return notices.reduce<KnownNotes>(
    (notes, notice) => takeNoteNotice(notes, { number: '1', notice, isSigned }),
    new Map(),
  )
}

it('the last note on a queue counts, until it is removed', () => {
  const notices = [written(onQueue('a.dlq', 'one')), written(onQueue('b.dlq', 'two'))]

  expect([...known([...notices, written(onQueue('a.dlq', 'three'))]).values()]).toEqual([
    onQueue('b.dlq', 'two'),
    onQueue('a.dlq', 'three'),
  ])
  expect([...known([...notices, { kind: 'note-removed', queue: 'a.dlq' }]).keys()]).toEqual(['queue b.dlq'])
})

it('the first acknowledgement of a task counts', () => {
  expect([...known([written(ofTask('1', 'ann')), written(ofTask('1', 'bob'))]).values()]).toEqual([
    ofTask('1', 'ann'),
  ])
})

it('what nobody signed is believed of nobody', () => {
  expect(known([written(onQueue('a.dlq', 'one'))], false).size).toBe(0)
  const notes = known([written(onQueue('a.dlq', 'one'))])
  const notice = { kind: 'note-removed', queue: 'a.dlq' } as const
  expect(takeNoteNotice(notes, { number: '2', notice, isSigned: false })).toBe(notes)
})

it('the oldest goes where there are a thousand', () => {
  const notes = known(Array.from({ length: 1_001 }, (_, at) => written(onQueue(`q-${at}`, 'x'))))

  expect(notes.size).toBe(1_000)
  expect(notes.has('queue q-0')).toBe(false)
})
