import { describe, expect, it } from 'vitest'
import { checkConnectOptions, readConnectTimes } from './check-connect-options.ts'
import type { ConnectOptions } from './connect-options.ts'

describe('the times of connect()', () => {
  const durations: ConnectOptions = {
    connectTimeout: '5s',
    replyTimeout: '1m',
    waitForBroker: 1_500,
    backoff: { initial: '200ms', max: '10s' },
  }
  const inMilliseconds: ConnectOptions = {
    connectTimeoutMs: 5_000,
    replyTimeoutMs: 60_000,
    waitForBrokerMs: 1_500,
    backoff: { initialMs: 200, maxMs: 10_000 },
  }

  it.each([
    ['durations', durations],
    ['milliseconds', inMilliseconds],
  ])('are taken as %s', (_, options) => {
    checkConnectOptions(options)

    expect(readConnectTimes(options)).toEqual(inMilliseconds)
  })

  it('are refused if both names are given', () => {
    const backoff = { initial: '1s', initialMs: 1_000 }
    expect(() => readConnectTimes({ backoff })).toThrow('backoff of connect() got initial and initialMs')
    expect(() => readConnectTimes({ connectTimeout: '1s', connectTimeoutMs: 1 })).toThrow(
      'connect() got connectTimeout and connectTimeoutMs, which are the same. Use only connectTimeout.',
    )
  })
})
