import { expect, it } from 'vitest'
import { indentJson, showReadableBody } from './show-readable-body.ts'

const body = (text: string, more: object = {}) => ({
  encoding: 'utf8' as const,
  text,
  isCut: false,
  isMasked: false,
  ...more,
})

it('JSON is indented without a change to its values', () => {
  expect(indentJson('{"id":12345678901234567890,"a":[],"b":{ },"c":[1,{"d":"x, {y}: \\"z\\""}]}')).toBe(
    [
      '{',
      '  "id": 12345678901234567890,',
      '  "a": [],',
      '  "b": {},',
      '  "c": [',
      '    1,',
      '    {',
      '      "d": "x, {y}: \\"z\\""',
      '    }',
      '  ]',
      '}',
    ].join('\n'),
  )
})

it.each(['<b>no</b>', '', '{"a":'])('%s is no JSON and stays as it is', (text) => {
  expect(indentJson(text)).toBeUndefined()
  expect(showReadableBody({ body: body(text), decoded: null })).toEqual({ text, note: undefined })
})

it('the page says what was done to a body', () => {
  const shown = showReadableBody({
    body: body('H4sI', { encoding: 'base64' }),
    decoded: body('{}', { isMasked: true }),
  })

  expect(shown).toEqual({ text: '{}', note: 'unpacked; parts are masked' })
})
