import { describe, expect, it } from 'vitest'
import { escapeLine, escapeText } from './escape-text.ts'

describe('text from a message', () => {
  it.each([
    ['a screen that would be cleared', '\u001b[2J', '\\u001b[2J'],
    ['a title that would be set', '\u001b]0;done\u0007', '\\u001b]0;done\\u0007'],
    ['a line that would be written over', 'lost\rdone', 'lost\\u000ddone'],
    ['a sequence that begins with one byte', '\u009b2J', '\\u009b2J'],
    ['a character that would be deleted', 'a\u007f\b', 'a\\u007f\\u0008'],
    ['a line that some would end', 'one\u2028two\u2029', 'one\\u2028two\\u2029'],
    ['text that would be turned around', '\u202eeno\u202c', '\\u202eeno\\u202c'],
  ])('shows %s', (_, text, shown) => {
    expect(escapeText(text)).toBe(shown)
  })

  it('keeps lines, tabs and every language', () => {
    const text = '{\n\t"name": "Žofie 陳 🐇"\n}'

    expect(escapeText(text)).toBe(text)
  })

  it('stays JSON where it is JSON, with the same value', () => {
    const value = { body: '\u001b[2J\u009b2J\u007f\u202e\n' }

    expect(JSON.parse(escapeText(JSON.stringify(value, null, 2)))).toEqual(value)
  })

  it('on a line with other things begins no line of its own', () => {
    expect(escapeLine('m-1\n0 shown of 0\tin dlq')).toBe('m-1\\n0 shown of 0\\tin dlq')
  })
})
