import { describe, expect, it } from 'vitest'
import { encodeTable } from '../../wire/encode-table.ts'
import { type PlainTable, toFieldTable } from '../../wire/plain-fields.ts'
import { decideStanding } from './decide-standing.ts'

const free = { kind: 'free' }
const alone = { kind: 'alone' }
const suspect = (runsAlone: number) => ({ kind: 'suspect', runsAlone })
const marked = { 'warren-suspect': 2, 'warren-alone': 1 }

describe('a message', () => {
  it.each<[string, PlainTable | undefined, boolean, object]>([
    ['without a mark is free', undefined, false, free],
    ['that was delivered before and has no mark is free', { 'warren-deliveries': 4 }, true, free],
    ['that became a suspect waits for its turn', { 'warren-suspect': 0 }, false, suspect(0)],
    [
      'that waited for its turn when its process ended has lost nothing',
      { 'warren-suspect': 0 },
      true,
      suspect(0),
    ],
    ['that is marked is run alone', marked, false, alone],
    ['that was run alone without an answer is a suspect with one run more', marked, true, suspect(3)],
  ])('%s', (_, headers, isRedelivered, standing) => {
    const encoded = headers && encodeTable(toFieldTable(headers))
    expect(decideStanding({ headers: encoded, isRedelivered, hasLimit: true })).toEqual(standing)
    expect(decideStanding({ headers: encoded, isRedelivered, hasLimit: false })).toEqual(free)
  })

  it('that is marked and that we gave back ourselves is still to be run alone', () => {
    const headers = encodeTable(toFieldTable(marked))
    const again = (isLast: boolean) =>
      decideStanding({ headers, isRedelivered: true, hasLimit: true, givenBack: { times: 1, isLast } })
    expect(again(true)).toEqual(alone)
    expect(again(false)).toEqual(suspect(3))
  })
})
