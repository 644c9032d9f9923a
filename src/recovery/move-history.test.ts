import { expect, test } from 'vitest'
import { encodeProperties } from '../wire/properties.ts'
import { createMoveHistory } from './move-history.ts'

const properties = encodeProperties({ deliveryMode: 2 })
const message = (id: string) => ({ id, properties, digest: `digest of ${id}` })
const move = (id: string) => ({ ...message(id), isCounted: true, to: { exchange: '', key: 'work' } })

test('a move is forgotten after so many others', () => {
  const history = createMoveHistory(2)

  for (const id of ['a', 'b', 'c']) history.add(move(id))

  history.startPass()

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
  ['one was moved on a line that was lost, and then another left', ['moved', 'line', 'left'], true],
  ['two were left, and one moved by a later pass', ['left', 'left', 'pass', 'moved'], true],
  ['one was moved and then another looked at', ['moved', 'look', 'looked'], true],
  ['two were looked at and then one moved', ['look', 'looked', 'looked', 'moved'], true],
  ['one was looked at twice and then moved', ['look', 'looked', 'look', 'looked', 'moved'], false],
  ['both were moved', ['moved', 'moved'], false],
  ['it was left, and moved by a later pass', ['left', 'pass', 'moved'], false],
] as const)('whether there is a twin of a message of which %s', (_, steps, hasTwin) => {
  const history = createMoveHistory(2)
  for (const step of steps) {
    if (step === 'pass') history.startPass()
    else if (step === 'line') history.lineLost()
    else if (step === 'look') history.startLook()
    else if (step === 'looked') history.seeLooked('a')
    else if (step === 'moved') history.add(move('a'))
    else history.seeLeft('a')
  }

  expect(history.hasTwin('a')).toBe(hasTwin)
})

test.each(['add', 'addAgain'] as const)('a move that was told by %s is found by the next pass', (tell) => {
  const history = createMoveHistory(2)
  history[tell](move('a'))

  expect(history.size).toBe(1)
  expect(history.take(message('a'))).toBeUndefined() // what this pass has moved cannot come to it again
  history.startPass()
  expect(history.take(message('a'))).toBeDefined()
  expect(history.size).toBe(0)
})

test('as many moves are remembered as the broker may send ahead, those from before among them', () => {
  const history = createMoveHistory(2)
  for (const id of ['a', 'b', 'c']) history.add(move(id))

  history.makeRoom(4)
  for (const id of ['d', 'e']) history.add(move(id))
  history.startPass()

  expect(history.size).toBe(4)
  expect(history.take(message('b'))).toBeDefined()
  expect(history.take(message('e'))).toBeDefined()
  expect(history.take(message('a'))).toBeUndefined()
})

test('moves that were not counted will be, where an id proves them', () => {
  const history = createMoveHistory(4)
  history.add({ ...move('a'), isCounted: false })
  history.add({ ...move(''), isCounted: false })
  history.add(move('b'))

  expect([history.uncountedCount, history.provedCount]).toEqual([2, 1])
})
