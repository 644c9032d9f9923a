import { describe, expect, it } from 'vitest'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import { encodeTable } from '../../wire/encode-table.ts'
import { type PlainTable, toFieldTable } from '../../wire/plain-fields.ts'
import type { GivenBack } from '../settle/near-limit.ts'
import { decideAdmission } from './decide-admission.ts'

function admit(
  headers: PlainTable | undefined,
  {
    isRedelivered = false,
    version = '4.0.5',
    hasLimit = true,
    isPlain = false,
    givenBack = undefined as GivenBack | undefined,
  } = {},
) {
  return decideAdmission({
    headers: headers && encodeTable(toFieldTable(headers)),
    isRedelivered,
    version: parseBrokerVersion(version),
    poisonLimit: hasLimit ? 3 : undefined,
    limitRule: { queue: 'work', deliveryLimit: undefined, isLostOver: isPlain },
    canPark: !isPlain,
    givenBack,
    nowMs: 1_000,
  })
}

const suspected = (deliveries: number) => ({ kind: 'recount', deliveries, why: 'suspected', runsAlone: 0 })

describe('before its handler runs, a message', () => {
  it('of a first delivery is let in', () => {
    expect(admit(undefined)).toEqual({ kind: 'run' })
    expect(admit({ a: 1 })).toEqual({ kind: 'run' })
  })

  it.each(['3.10.8', '4.0.5', '4.3.6'])(
    'that a quorum queue on %s counted to half of the limit is a suspect, and no more',
    (version) => {
      const counted = (count: number) =>
        admit({ 'x-delivery-count': count }, { isRedelivered: true, version })
      expect(counted(1)).toEqual({ kind: 'run' })
      expect(counted(2)).toEqual(suspected(2))
      expect(counted(9)).toEqual(suspected(9))
    },
  )

  it('that was rejected again and again is no suspect on 4.0, where the count comes along', () => {
    const headers = { 'x-delivery-count': 11, 'x-death': [{ queue: 'work', reason: 'rejected', count: 10n }] }
    expect(admit(headers, { isRedelivered: true })).toEqual({ kind: 'run' })
    expect(admit({ ...headers, 'x-delivery-count': 12 }, { isRedelivered: true })).toEqual(suspected(2))
  })

  it('that was only given back is no suspect on 4.3', () => {
    const headers = { 'x-acquired-count': 30 }
    expect(admit(headers, { isRedelivered: true, version: '4.3.6' })).toEqual({ kind: 'run' })
  })

  it.each(['3.10.8', '4.0.5'])(
    'that we gave back ourselves is no suspect on %s, where that counts',
    (version) => {
      const returned = (count: number, times: number) =>
        admit(
          { 'x-delivery-count': count },
          { isRedelivered: true, version, givenBack: { times, isLast: true } },
        )
      expect(returned(5, 5)).toEqual({ kind: 'run' })
      expect(returned(6, 5)).toEqual({ kind: 'run' })
      expect(returned(7, 5)).toEqual(suspected(2))
    },
  )

  it('that we gave back half as often as 4.0 allows starts its count anew, with the crashes among them', () => {
    const returned = (count: number) =>
      admit({ 'x-delivery-count': count }, { isRedelivered: true, givenBack: { times: 9, isLast: true } })
    expect(returned(9)).toEqual({ kind: 'run' })
    expect(returned(10)).toEqual({ kind: 'recount', deliveries: 1, why: 'near-limit' })
    expect(returned(12)).toEqual(suspected(3))
  })

  it.each(['4.0.5', '4.3.6'])(
    'of a plain queue on %s starts its count anew before the broker deletes it, and is no poison',
    (version) => {
      const counted = (count: number, hasLimit: boolean) =>
        admit({ 'x-delivery-count': count }, { isRedelivered: true, version, isPlain: true, hasLimit })
      expect(counted(9, false)).toEqual({ kind: 'run' })
      expect(counted(10, false)).toEqual({ kind: 'recount', deliveries: 10, why: 'near-limit' })
      expect(counted(9, true)).toEqual({ kind: 'run' })
      expect(counted(10, true)).toEqual({ kind: 'recount', deliveries: 10, why: 'near-limit' })
    },
  )

  it('that cannot be parked is run, however often it was delivered', () => {
    const counted = { 'warren-deliveries': 10 }
    expect(admit(counted)).toEqual(suspected(10))
    expect(admit(counted, { isPlain: true })).toEqual({ kind: 'run' })
    expect(admit({ 'warren-suspect': 3 }, { isPlain: true })).toEqual({ kind: 'run' })
    expect(admit(counted, { isPlain: true, isRedelivered: true })).toEqual({ kind: 'run' })
    expect(admit({ ...counted, 'warren-deferred-until': 1_500 }, { isPlain: true })).toEqual({
      kind: 'early',
      untilMs: 1_500,
    })
  })

  it('of 4.3 is not excused by what we gave back, which is not counted there', () => {
    const options = { isRedelivered: true, version: '4.3.6', givenBack: { times: 30, isLast: true } }
    expect(admit({ 'x-delivery-count': 3 }, options)).toEqual(suspected(3))
  })

  it('of a classic queue that we gave back ourselves is not counted for it', () => {
    const again = (isLast: boolean) =>
      admit(undefined, { isRedelivered: true, givenBack: { times: 1, isLast } })
    expect(again(true)).toEqual({ kind: 'run' })
    expect(again(false)).toEqual({ kind: 'recount', deliveries: 1, why: 'uncounted' })
  })

  it('of a classic queue is counted in a header of its own', () => {
    expect(admit(undefined, { isRedelivered: true })).toEqual({
      kind: 'recount',
      deliveries: 1,
      why: 'uncounted',
    })
    expect(admit({ 'warren-deliveries': 1 }, { isRedelivered: true })).toEqual(suspected(2))
    expect(admit({ 'warren-deliveries': 1 })).toEqual({ kind: 'run' })
  })

  it('that is a suspect is copied when its turn comes, to be run alone, and is poison after so many runs alone', () => {
    const counts = { 'warren-deliveries': 2, 'warren-suspect': 1 }
    const turn = (runsAlone: number) => ({ kind: 'recount', deliveries: 2, why: 'alone', runsAlone })
    expect(admit(counts)).toEqual(turn(1))
    expect(admit({ ...counts, 'warren-alone': 1 })).toEqual({ kind: 'run' })
    expect(admit({ ...counts, 'warren-alone': 1, 'x-delivery-count': 1 }, { isRedelivered: true })).toEqual({
      ...turn(2),
      deliveries: 3,
    })
    const last = { 'warren-deliveries': 2, 'warren-suspect': 2, 'warren-alone': 1 }
    expect(admit(last)).toEqual({ kind: 'run' })
    expect(admit(last, { isRedelivered: true })).toEqual({ kind: 'poisonous', runsAlone: 3 })
  })

  it('that is a suspect starts its count anew before the broker takes it away, with its runs alone', () => {
    const headers = { 'warren-suspect': 1, 'x-delivery-count': 10 }
    expect(admit(headers, { isRedelivered: true })).toEqual({
      kind: 'recount',
      deliveries: 10,
      why: 'near-limit',
      runsAlone: 1,
    })
  })

  it('is never poison where no limit is set', () => {
    expect(admit({ 'x-delivery-count': 99 }, { isRedelivered: true, hasLimit: false })).toEqual({
      kind: 'run',
    })
    expect(admit(undefined, { isRedelivered: true, hasLimit: false })).toEqual({ kind: 'run' })
  })

  it('that came back before its time waits for the rest', () => {
    expect(admit({ 'warren-deferred-until': 1_500 })).toEqual({ kind: 'early', untilMs: 1_500 })
    expect(admit({ 'warren-deferred-until': 1_000 })).toEqual({ kind: 'run' })
  })
})
