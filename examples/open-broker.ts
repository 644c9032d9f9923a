import type { ConnectOptions, Consumer } from 'warrenmq'
import { type ProfileName, startEmbeddedBroker } from 'warrenmq/testing'

/** Where an example runs. Its time may be virtual, so nothing here waits for a clock on the wall. */
export interface ExampleBroker {
  readonly url: string
  readonly options: Pick<ConnectOptions, 'managementUrl'>
  /** In milliseconds since 1970. */
  now(): number
  /** Lets so much time pass: a virtual clock is turned, a real one runs by itself. */
  pass(durationMs: number): Promise<void>
  /** Lets each delay of the consumer pass as soon as a message begins to wait. */
  passDelaysOf(consumer: Consumer): void
  close(): Promise<void>
}

/** The broker behind AMQP_URL, or one inside this process whose clock is virtual; BROKER_PROFILE is its version. */
export async function openBroker(): Promise<ExampleBroker> {
  const { AMQP_URL: url, MANAGEMENT_URL: managementUrl, BROKER_PROFILE: profile = '4.3' } = process.env
  return url ? givenBroker(url, managementUrl) : embeddedBroker(profile as ProfileName)
}

function givenBroker(url: string, managementUrl: string | undefined): ExampleBroker {
  return {
    url,
    options: managementUrl ? { managementUrl } : {},
    now: Date.now,
    pass: async () => {},
    passDelaysOf: () => {},
    close: async () => {},
  }
}

async function embeddedBroker(profile: ProfileName): Promise<ExampleBroker> {
  const { url, managementUrl, clock, stop } = await startEmbeddedBroker({ profile, clock: 'virtual' })
  // One turn after the other: time that two messages wait for together is still passed twice, which harms nobody.
  let turning = Promise.resolve()
  const pass = (durationMs: number): Promise<void> => {
    turning = turning.then(() => clock.advance(durationMs))
    return turning
  }
  return {
    url,
    options: { managementUrl },
    now: () => clock.now(),
    pass,
    passDelaysOf: (consumer) => {
      consumer.events.on('delivery.settled', ({ outcome }) => {
        if (outcome.kind === 'retry') void pass(outcome.delay.delayMs)
      })
    },
    close: async () => {
      await turning
      await stop()
    },
  }
}
