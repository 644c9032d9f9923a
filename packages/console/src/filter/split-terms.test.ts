import { expect, it } from 'vitest'
import { fieldOf, splitTerms, toggleTerms, withoutField } from './split-terms.ts'

it.each([
  [undefined, []],
  ['type:A', ['type:A']],
  ['type:A and died<2h', ['type:A', 'died<2h']],
  ['type:A AND cause:"a and b"', ['type:A', 'cause:"a and b"']],
  ['(type:A or type:B) and id:1', ['(type:A or type:B)', 'id:1']],
  ['type:A or type:B', ['(type:A or type:B)']],
  ['type:A plain words', ['type:A', 'plain', 'words']],
  ['type:A cause:Timeout', ['type:A', 'cause:Timeout']],
  ['type : A  cause >= "a b" not id != 1', ['type : A', 'cause >= "a b"', 'not id != 1']],
  ['not not type:A id:1', ['not not type:A', 'id:1']],
  ['type:A(id:1 or id:2)not(id:3)', ['type:A', '(id:1 or id:2)', 'not(id:3)']],
  ['(id:1) (id:2)word', ['(id:1)', '(id:2)', 'word']],
  ['word "two words"', ['word', '"two words"']],
  ['key:order:placed header.at:2026-01-01T00:00', ['key:order:placed', 'header.at:2026-01-01T00:00']],
  ['cause:"it said \\"no and\\""', ['cause:"it said \\"no and\\""']],
])('%s is these conditions', (where, terms) => {
  expect(splitTerms(where)).toEqual(terms)
})

it.each([
  ['type:A', 'type'],
  ['not header.tenant != acme', 'header.tenant'],
  ['(type:A or id:1)', undefined],
  ['header.größe:1', 'header.größe'],
  ['word', undefined],
])('%s is about %s', (term, field) => {
  expect(fieldOf(term)).toBe(field)
})

it.each([
  [undefined, ['type:A'], 'type:A'],
  ['type:B and id:1', ['type:A'], 'id:1 and type:A'],
  ['id:1 and type:A', ['type:A'], 'id:1'],
  ['type:A', ['type:A'], undefined],
  ['type:A', [], undefined],
  ['id:1 or id:2', ['type:A'], '(id:1 or id:2) and type:A'],
  ['type:B cause:Timeout', ['type:A'], 'cause:Timeout and type:A'],
])('%s with a click on %j is %s', (where, terms, result) => {
  expect(toggleTerms(where, 'type', terms)).toBe(result)
})

it('a field can be left out', () => {
  expect(withoutField('died>=2026-01-01 and type:A and died<2027-01-01', 'died')).toBe('type:A')
})
