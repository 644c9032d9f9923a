import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuditVerdict } from '../http-api/audit/audit-check.ts'
import type { ListedAuditRecord } from '../http-api/contract/contract.ts'
import { renderAuditRecord, renderBroken, renderWhole } from './render-audit.ts'

const record: ListedAuditRecord = {
  at: '2030-01-01T00:00:00Z',
  by: 'ann',
  wayIn: 'token',
  from: '::1',
  action: 'redrive',
  target: 'a.dlq',
  reason: 'fixed',
  result: 'begun',
  receiptDigest: null,
  isSigned: true,
  writer: 'w',
  number: 1,
  previous: '0',
  after: null,
  afterOffset: null,
  hash: 'h',
}
const plain = { isKeyed: true, strong: (text: string) => text }

describe('a record of the audit log', () => {
  it('is one line', () => {
    expect(renderAuditRecord(record, plain)).toBe(
      '2030-01-01T00:00:00Z  ann from ::1  redrive a.dlq  begun (fixed)',
    )
  })

  it('that nobody signed says so, where that can be told', () => {
    const unsigned = { ...record, isSigned: false }

    expect(renderAuditRecord(unsigned, plain)).toMatch(/^NOT SIGNED {2}2030/)
    expect(renderAuditRecord(unsigned, { ...plain, isKeyed: false })).toMatch(/^2030/)
  })

  it('is one line whatever stands in any of its fields, and steers no terminal', () => {
    const fields = ['at', 'by', 'from', 'action', 'target', 'result', 'reason'] as const
    const breaking = fc.constantFrom(
      '\n',
      '\r',
      '\u2028',
      '\u2029',
      '\u0085',
      '\u001b[2K',
      '\u000b',
      '\t',
      '\u202e',
    )
    fc.assert(
      fc.property(fc.constantFrom(...fields), fc.string(), breaking, (field, text, end) => {
        const line = renderAuditRecord({ ...record, [field]: `${text}${end}2030  bob from ::1` }, plain)

        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202e]/u)
      }),
    )
  })
})

describe('a verdict', () => {
  const whole: AuditVerdict = {
    kind: 'whole',
    records: 7,
    writers: 2,
    isKeyed: true,
    signed: 7,
    unsigned: 0,
    foreign: 0,
    newest: 'h',
    newestOffset: 6,
    firstSigned: 0,
    isCut: false,
    problemCount: 0,
    problems: [],
  }

  it('says how much was seen, and what it does not prove', () => {
    expect(renderWhole(whole)[0]).toBe(
      '7 records of 2 writers (7 signed, 0 not): none changed, none missing, none out of order.',
    )
    expect(renderWhole({ ...whole, isKeyed: false }).join('\n')).toContain('seals are not checked')
    expect(renderWhole({ ...whole, unsigned: 2 }).join('\n')).toContain('The 2 unsigned records')
    expect(renderWhole({ ...whole, isCut: true }).join('\n')).toContain('The oldest records are gone')
  })

  it('of a broken log names the first problem, and says how many there are and how much was seen', () => {
    const problems = [{ at: 3, problem: 'It is not a record of Warren.' }]
    const broken: AuditVerdict = { ...whole, kind: 'broken', foreign: 1, problemCount: 3, problems }

    expect(renderBroken(broken)).toBe(
      'The audit log is broken at record 4. It is not a record of Warren. More problems: 2. ' +
        'Seen: 7 records of 2 writers (7 signed, 0 not), and 1 message not from Warren.',
    )
  })
})
