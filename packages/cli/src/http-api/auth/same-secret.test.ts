import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isSameSecret } from './same-secret.ts'

const folder = 'packages/cli/src/http-api'
const source = (name: string): string => readFileSync(join(folder, name), 'utf8')

describe('two secrets', () => {
  it.each([
    ['', '', true],
    ['secret', 'secret', true],
    ['secret', 'secreT', false],
    ['secret', 'secret ', false],
    ['', 'secret', false],
    ['é', 'e\u0301', false],
  ])('%j and %j are the same: %s', (left, right, isSame) => {
    expect(isSameSecret(left, right)).toBe(isSame)
  })

  it('are compared by digests of one length, which takes as long wherever they differ', () => {
    const lengths = ['', 'x', 'x'.repeat(10_000)].map(
      (text) => createHash('sha256').update(text).digest().length,
    )

    // Of other lengths timingSafeEqual would throw, so that it returns is proof of it.
    expect(new Set(lengths)).toEqual(new Set([32]))
    expect(isSameSecret('', 'x'.repeat(10_000))).toBe(false)
    expect(source('auth/same-secret.ts')).toMatch(/return timingSafeEqual\(digest\(left\), digest\(right\)\)/)
  })

  it('are compared in no other way: neither those of tokens nor those of sessions', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
    )
    const comparing = files.filter((name) =>
      /(csrf\w*|secret|password|hash|token)\s*[!=]==(?!\s*(undefined|''|'string'))/i.test(source(name)),
    )

    expect(source('auth/stored-token.ts')).toContain('isSameSecret(each.hash, hash)')
    expect(source('guards/check-access.ts')).toContain("isSameSecret(String(headers['x-csrf-token']")
    // Hashes of the audit log are no secrets: they are shown to whoever reads it.
    expect(comparing.filter((name) => !name.startsWith('audit'))).toEqual([])
  })
})
