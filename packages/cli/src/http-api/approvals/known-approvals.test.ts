import { describe, expect, it } from 'vitest'
import type { Approval } from '../contract/contract.ts'
import type { HeardNotice } from '../notices/notice.ts'
import { mostMessages, needsApproval } from './approval-rule.ts'
import { type KnownApprovals, stateOf, takeApprovalNotice } from './known-approvals.ts'

const approval: Approval = {
  kind: 'approval',
  id: 'a',
  by: 'ann',
  reason: null,
  messages: 20_000,
  state: 'waiting',
  asks: { action: 'redrive', request: { queue: 'orders.dlq' } },
  askedAt: '2030-01-01T00:00:00Z',
  expiresAt: '2030-01-02T00:00:00Z',
  decidedBy: null,
  decidedAt: null,
  isSigned: true,
}
const asker = { wayIn: 'oidc', from: '192.0.2.1' }
const asked: HeardNotice = {
  number: '1',
  isSigned: true,
  notice: { kind: 'approval-asked', approval, asker },
}

function decided(number: string, decision: 'granted' | 'refused', at = '2030-01-01T12:00:00Z'): HeardNotice {
  return { number, isSigned: true, notice: { kind: 'approval-decided', id: 'a', decision, by: 'bob', at } }
}

function knownAfter(...records: readonly HeardNotice[]): KnownApprovals {
  return records.reduce(takeApprovalNotice, new Map() as KnownApprovals)
}

describe('an approval', () => {
  it('waits until it is decided', () => {
    expect(knownAfter(asked).get('a')?.approval.state).toBe('waiting')
  })

  it('is decided by the first who says so, on whichever server', () => {
    const known = knownAfter(asked, decided('2', 'refused'), decided('3', 'granted'))

    expect(known.get('a')).toMatchObject({
      approval: { state: 'refused', decidedBy: 'bob' },
      decidedIn: '2',
    })
  })

  it('is not decided after it has expired', () => {
    const known = knownAfter(asked, decided('2', 'granted', '2030-01-02T00:00:00Z'))

    expect(known.get('a')?.decidedIn).toBeUndefined()
    expect(stateOf(known.get('a')!.approval, Date.parse('2030-01-03'))).toBe('expired')
  })

  it('that was asked for twice is one', () => {
    expect(knownAfter(asked, decided('2', 'granted'), asked).get('a')?.approval.state).toBe('granted')
  })

  it('of one of us is not changed by what anybody may have written', () => {
    const byAnybody = { isSigned: false }
    const other = { ...approval, by: 'mallory' }
    const forged: HeardNotice = {
      ...asked,
      ...byAnybody,
      notice: { ...asked.notice, approval: other } as never,
    }

    const known = knownAfter(forged, asked, forged, { ...decided('2', 'refused'), ...byAnybody })
    const invented = knownAfter({ ...asked, ...byAnybody })

    expect(known.get('a')?.approval).toEqual(approval)
    expect(invented.get('a')?.approval).toEqual({ ...approval, isSigned: false })
  })

  it('of somebody who asks for very many pushes out none that others wait for', () => {
    const ask = (id: string, by: string): HeardNotice => ({
      ...asked,
      notice: { ...asked.notice, approval: { ...approval, id, by } } as never,
    })
    const many = Array.from({ length: 2_000 }, (_, at) => ask(`many-${at}`, 'mallory'))

    const known = knownAfter(ask('over', 'bob'), asked, ...many.slice(0, 998))
    const late = many.slice(998).reduce(takeApprovalNotice, known)

    expect([...known.keys()].slice(0, 3)).toEqual(['over', 'a', 'many-0'])
    expect(late.size).toBe(1_000)
    expect([...late.keys()].filter((id) => !id.startsWith('many-'))).toEqual(['over', 'a'])
    expect(late.has('many-1999')).toBe(true)
  })

  it('that is decided is forgotten before one that waits', () => {
    const ask = (id: string): HeardNotice => ({
      ...asked,
      notice: { ...asked.notice, approval: { ...approval, id } } as never,
    })
    const others = Array.from({ length: 999 }, (_, at) => ask(`other-${at}`))

    const known = knownAfter(...others.slice(0, 500), asked, decided('2', 'granted'), ...others.slice(500))
    const late = takeApprovalNotice(known, ask('newest'))

    expect([known.size, late.size]).toEqual([1_000, 1_000])
    expect([late.has('a'), late.has('other-0'), late.has('newest')]).toEqual([false, true, true])
  })

  it('that anybody may have written pushes none of ours out of the list, however many there are', () => {
    const many = Array.from({ length: 2_000 }, (_, at): HeardNotice => {
      const notice = { ...asked.notice, approval: { ...approval, id: `forged-${at}` } } as never
      return { ...asked, isSigned: false, notice }
    })

    const known = knownAfter(asked, ...many)

    expect(known.has('a')).toBe(true)
    expect(known.size).toBe(101)
  })

  it('that nobody asked for cannot be decided', () => {
    expect(knownAfter(decided('2', 'granted')).size).toBe(0)
  })
})

describe('a second person', () => {
  const rule = { above: 100, lifetimeMs: 1 }

  it.each([
    [{ depth: 100, limit: undefined }, false],
    [{ depth: 101, limit: undefined }, true],
    [{ depth: 5_000, limit: 100 }, false],
    [{ depth: 5_000, limit: 101 }, true],
    [{ depth: 3, limit: 101 }, false],
  ])('for %j is needed: %s', (size, isNeeded) => {
    expect(needsApproval(rule, mostMessages(size))).toBe(isNeeded)
    expect(needsApproval(undefined, mostMessages(size))).toBe(false)
  })
})
