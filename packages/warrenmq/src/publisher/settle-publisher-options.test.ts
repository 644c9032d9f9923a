import { describe, expect, it } from 'vitest'
import { type PublisherOptions, settlePublisherOptions } from './settle-publisher-options.ts'

describe('the options of a publisher', () => {
  it('have defaults, each for itself', () => {
    expect(settlePublisherOptions({ window: { messages: 8 }, waiting: { bytes: 0 } })).toEqual({
      window: { messages: 8, bytes: 16_777_216 },
      waiting: { messages: 100_000, bytes: 0 },
      deadlineMs: 60_000,
      resend: false,
    })
  })

  it('take undefined, which a program without types may pass, for the default', () => {
    const careless = { window: { messages: undefined }, waiting: undefined, deadlineMs: undefined }

    expect(settlePublisherOptions(careless as unknown as PublisherOptions)).toEqual(
      settlePublisherOptions({}),
    )
  })

  it.each<[PublisherOptions, string]>([
    [{ window: { messages: 0 } }, 'window.messages of a publisher is 0; it must be a whole number from 1.'],
    [{ window: { messages: 1.5 } }, 'window.messages of a publisher is 1.5'],
    [{ window: { messages: Number.POSITIVE_INFINITY } }, 'window.messages of a publisher is Infinity'],
    [{ window: { bytes: 0 } }, 'window.bytes of a publisher is 0'],
    [{ waiting: { messages: -1 } }, 'waiting.messages of a publisher is -1'],
    [{ waiting: { bytes: Number.NaN } }, 'waiting.bytes of a publisher is NaN'],
    [{ deadlineMs: 0 }, 'deadlineMs of a publisher is 0; it must be a number of milliseconds above 0.'],
    [{ deadlineMs: Number.POSITIVE_INFINITY }, 'deadlineMs of a publisher is Infinity'],
  ])('that would make a publish hang are refused: %o', (options, sentence) => {
    expect(() => settlePublisherOptions(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(sentence) }),
    )
  })
})
