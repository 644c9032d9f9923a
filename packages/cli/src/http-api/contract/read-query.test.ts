import Type from 'typebox'
import { expect, it } from 'vitest'
import { readQuery } from './read-query.ts'

const schema = Type.Object({
  limit: Type.Integer(),
  where: Type.String(),
  force: Type.Boolean(),
  state: Type.Array(Type.String()),
})

it.each([
  ['a whole number', { limit: '20' }, { limit: 20 }],
  ['one below zero, which is for the schema to refuse', { limit: '-1' }, { limit: -1 }],
  ['text that looks like a number', { where: '20' }, { where: '20' }],
  ['nothing', { limit: '' }, { limit: '' }],
  ['what is no whole number', { limit: '1e3' }, { limit: '1e3' }],
  ['half a number', { limit: '1.5' }, { limit: '1.5' }],
  ['one with a space', { limit: ' 1' }, { limit: ' 1' }],
  ['more than is exact', { limit: '9007199254740993' }, { limit: '9007199254740993' }],
  ['a yes and a no', { force: 'true', where: 'true' }, { force: true, where: 'true' }],
  ['what is neither', { force: 'yes' }, { force: 'yes' }],
  ['two of them', { limit: ['1', '2'] }, { limit: ['1', '2'] }],
  ['a list', { state: 'running,paused' }, { state: ['running', 'paused'] }],
  ['a list of one', { state: 'running' }, { state: ['running'] }],
  ['a list said one by one', { state: ['running', 'paused,done'] }, { state: ['running', 'paused', 'done'] }],
  ['a comma where there is no list', { where: 'a,b' }, { where: 'a,b' }],
  ['what nobody knows', { constructor: '1' }, { constructor: '1' }],
])('of a query %s is read as what it is', (_, query, read) => {
  expect(readQuery(schema, query)).toEqual(read)
})
