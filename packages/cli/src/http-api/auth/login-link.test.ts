import { describe, expect, it } from 'vitest'
import { createLoginLink } from './login-link.ts'

const guest = { username: 'guest', password: 'guest' }

describe('a link that logs in', () => {
  it('works once', () => {
    const link = createLoginLink(guest)

    expect(link.take(link.secret)).toEqual(guest)
    expect(link.take(link.secret)).toBeUndefined()
  })

  it('is no worse for wrong guesses, and none of them is right', () => {
    const link = createLoginLink(guest)
    const guesses = ['', link.secret.slice(1), `${link.secret}A`, link.secret.toLowerCase(), 'A'.repeat(43)]

    expect(guesses.map((guess) => link.take(guess))).toEqual(guesses.map(() => undefined))
    expect(link.take(link.secret)).toEqual(guest)
  })

  it('expires', () => {
    let nowMs = 0
    const link = createLoginLink(guest, () => nowMs)
    nowMs = 5 * 60_000

    expect(link.take(link.secret)).toBeUndefined()
  })

  it('is another one each time, with 256 bits in it', () => {
    const secrets = Array.from({ length: 100 }, () => createLoginLink(guest).secret)

    expect(new Set(secrets).size).toBe(100)
    expect(secrets.every((secret) => Buffer.from(secret, 'base64url').length === 32)).toBe(true)
  })

  it('can be used again when it was not the browser that failed', () => {
    const link = createLoginLink(guest)
    link.take(link.secret)
    link.giveBack()

    expect(link.take(link.secret)).toEqual(guest)
  })
})
