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

test('a message has a twin when one pass was handed two with its id, and not when two passes were handed one each', () => {
  const history = createMoveHistory(2)
  for (const pass of [['a', 'b', 'a'], ['b']]) {
    history.startPass()
    for (const id of pass) history.see(id)
  }

  expect([history.hasTwin('a'), history.hasTwin('b')]).toEqual([true, false])
})
