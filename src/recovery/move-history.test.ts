import { expect, test } from 'vitest'
import { encodeProperties } from '../wire/properties.ts'
import { createMoveHistory } from './move-history.ts'

const properties = encodeProperties({ deliveryMode: 2 })
const message = (id: string) => ({ id, properties, digest: `digest of ${id}` })
const move = (id: string) => ({ ...message(id), isCounted: true, to: { exchange: '', key: 'work' } })

test('a move is forgotten after so many others', () => {
  const history = createMoveHistory(2)

  for (const id of ['a', 'b', 'c']) history.add(move(id))

  expect(history.size).toBe(2)
  expect(history.take(message('a'))).toBeUndefined()
  expect(history.take(message('c'))).toMatchObject({ to: { key: 'work' } })
})

test('a move of a line that was lost is remembered however many follow it', () => {
  const history = createMoveHistory(2)
  history.add(move('a'))
  history.lineLost()

  for (let index = 0; index < 100; index += 1) history.add(move(`later-${index}`))

  expect(history.size).toBe(3)
  expect(history.take(message('a'))).toBeDefined()
  expect(history.take(message('a'))).toBeUndefined()
})

test('a line that is lost again and again leaves a bounded number of moves', () => {
  const history = createMoveHistory(2)

  for (let index = 0; index < 100; index += 1) {
    history.add(move(String(index)))
    history.lineLost()
    history.lineLost()
  }

  expect(history.size).toBe(16)
  expect(history.take(message('99'))).toBeDefined()
  expect(history.take(message('84'))).toBeDefined()
  expect(history.take(message('83'))).toBeUndefined()
})

test.each([
  ['one was moved and then another left', ['moved', 'left'], true],
  ['one was left and then another moved', ['left', 'moved'], true],
  ['one was moved and another left by a later pass', ['moved', 'pass', 'left'], true],
  ['both were moved', ['moved', 'moved'], false],
  ['it was left, and moved by a later pass', ['left', 'pass', 'moved'], false],
] as const)('whether there is a twin of a message of which %s', (_, steps, hasTwin) => {
  const history = createMoveHistory(2)
  for (const step of steps) {
    if (step === 'pass') history.startPass()
    else if (step === 'moved') history.seeMoved('a')
    else history.seeLeft('a')
  }

  expect(history.hasTwin('a')).toBe(hasTwin)
})

test('a move that came again is found by the next pass, and not by the same', () => {
  const history = createMoveHistory(2)
  history.addAgain(move('a'))

  expect(history.size).toBe(1)
  expect(history.take(message('a'))).toBeUndefined()
  history.startPass()
  expect(history.take(message('a'))).toBeDefined()
})
