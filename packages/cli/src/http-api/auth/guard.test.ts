import { describe, expect, it } from 'vitest'
import type { Caller } from './caller.ts'
import { createGuard } from './guard.ts'

const owner: Caller = { name: 'olga', role: 'viewer', wayIn: 'broker-account', readableQueues: undefined }

/** A guard whose checks wait until they are let go, and what came of each guess. */
function setup() {
  const guard = createGuard()
  let letGo = (): void => undefined
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const outcomes: string[] = []
  let checks = 0
  let underWay = 0
  let mostUnderWay = 0
  const guess = (at: number, { account = 'olga', secret = `guess-${at}` } = {}): void => {
    const check = async (): Promise<Caller | undefined> => {
      checks += 1
      underWay += 1
      mostUnderWay = Math.max(mostUnderWay, underWay)
      await gate
      underWay -= 1
      return secret === 'right' ? owner : undefined
    }
    guard({ address: `10.0.${at >> 8}.${at & 255}`, secret, account }, check).then(
      () => outcomes.push('let in'),
      (error: { code: string }) => outcomes.push(error.code),
    )
  }
  const count = (outcome: string): number => outcomes.filter((each) => each === outcome).length
  return { guard, letGo, guess, count, checks: () => checks, mostUnderWay: () => mostUnderWay }
}

describe('guesses for one account from many networks at once', () => {
  it('are checked a few at a time, and the rest is refused once too many were wrong', async () => {
    const { letGo, guess, count, checks, mostUnderWay } = setup()

    for (let at = 0; at < 500; at += 1) guess(at)
    letGo()
    await expect.poll(() => count('API_TOO_MANY_ATTEMPTS')).toBeGreaterThan(400)

    expect(mostUnderWay()).toBe(5)
    // Those that were under way when the thirtieth was known to be wrong are checked, too.
    expect(checks()).toBeLessThanOrEqual(34)
  })

  it('are those of one account however its name is written', async () => {
    const { letGo, guess, count, checks } = setup()

    for (let at = 0; at < 500; at += 1) guess(at, { account: ['olga', 'Olga', 'OLGA ', 'ｏlga'][at % 4]! })
    letGo()
    await expect.poll(() => count('API_TOO_MANY_ATTEMPTS')).toBeGreaterThan(400)

    expect(checks()).toBeLessThanOrEqual(34)
  })

  it('do not hold up who was right before', async () => {
    const { guard, guess } = setup()
    const asOwner = () =>
      guard({ address: '10.9.9.9', secret: 'right', account: 'olga' }, () => Promise.resolve(owner))
    await asOwner()

    for (let at = 0; at < 100; at += 1) guess(at)

    expect(await asOwner()).toBe(owner)
  })

  it('are all let in where all of them are right, as those of many servers with one account', async () => {
    const { letGo, guess, count } = setup()

    for (let at = 0; at < 200; at += 1) guess(at, { secret: 'right' })
    letGo()

    await expect.poll(() => count('let in')).toBe(200)
  })
})
