import { expect, it } from 'vitest'
import { editableBody } from './editable-body.ts'

it('JSON without spaces is edited by lines, and comes back without them', () => {
  const { text, toSend } = editableBody('{"order":12345678901234567890,"note":"a  b"}')

  expect(text).toBe('{\n  "order": 12345678901234567890,\n  "note": "a  b"\n}')
  expect(toSend(text)).toBe('{"order":12345678901234567890,"note":"a  b"}')
  expect(toSend(text.replace('a  b', 'c'))).toBe('{"order":12345678901234567890,"note":"c"}')
})

it.each(['plain text', '{ "with": "spaces" }', '{"broken":'])('%s is sent as it is written', (original) => {
  const { text, toSend } = editableBody(original)

  expect(text).toBe(original)
  expect(toSend(`${text} `)).toBe(`${original} `)
})

it('what is no JSON any more is sent as it is written', () => {
  const { text, toSend } = editableBody('{"a":1}')

  expect(toSend(`${text},`)).toBe(`${text},`)
})
