import { expect, it } from 'vitest'
import { HeaderColumns } from './header-columns.ts'

const list = [0x41, 0, 0, 0, 0]
const one = [0x53, 0, 0, 0, 1, 0x31]
const header = (name: string, value: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from(value)])
const headers = (count: number, value: readonly number[]): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, at) => header(`h${at}`, value)))

it('a message with many headers that are not counted takes no time behind a million others', () => {
  const columns = new HeaderColumns()
  for (let at = 0; at < 1_000_000; at += 1) columns.push(undefined)

  columns.push(headers(10_000, list))

  expect(columns.names).toEqual([])
})

it('messages before the first with a header do not have it', () => {
  const columns = new HeaderColumns()
  for (let at = 0; at < 3_000; at += 1) columns.push(undefined)

  columns.push(header('__proto__', one))
  columns.push(undefined)

  const { codes, values } = columns.of('__proto__')!
  expect(values).toEqual([undefined, '1'])
  expect(codes).toHaveLength(3_002)
  expect([...codes].flatMap((code, at) => (code === 0 ? [] : [at]))).toEqual([3_000])
  expect(columns.of('constructor')).toBeUndefined()
})

it('a header that found no room is not counted later, as though earlier messages did not have it', () => {
  const columns = new HeaderColumns()
  columns.push(Buffer.concat([headers(16, one), header('late', one)]))
  columns.push(header('h0', list)) // makes room

  columns.push(header('late', one))

  expect(columns.of('late')).toBeUndefined()
})
