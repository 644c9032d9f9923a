import { describe, expect, it } from 'vitest'
import { createAckWriter } from './ack-writer.ts'
import type { Output } from './output.ts'

/** A channel that was sent so many messages, of which none is settled. */
function sent(writer: ReturnType<typeof createAckWriter>, first: number, count: number): void {
  for (let tag = first; tag < first + count; tag += 1) writer.opened(tag, true)
}

const noOutput = (): Output => {
  throw new Error('nothing is to be written')
}

describe('what the broker may still send', () => {
  it.each([
    ['without a limit is enough, whatever is held', 0, 5000, true],
    ['is enough with more than half of the prefetch left', 100, 49, true],
    ['is not enough with half of it', 100, 50, false],
    ['is enough with more than a thousand left, be it far less than half', 60_000, 58_999, true],
    ['is not enough with a thousand of many', 60_000, 59_000, false],
  ])('%s', (_, prefetch, held, isEnough) => {
    const writer = createAckWriter(1, noOutput)
    writer.setPrefetch(prefetch)
    sent(writer, 1, held)

    expect(writer.hasCreditLeft()).toBe(isEnough)
  })

  it('is all that the next consumer may take, though the one before holds more', () => {
    const writer = createAckWriter(1, noOutput)
    writer.setPrefetch(500)
    sent(writer, 1, 500)
    expect(writer.hasCreditLeft()).toBe(false)

    writer.setPrefetch(200)
    expect(writer.hasCreditLeft()).toBe(true)
    sent(writer, 501, 100)
    expect(writer.hasCreditLeft()).toBe(false)
  })
})
