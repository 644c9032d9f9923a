import { describe, expect, it } from 'vitest'
import { type BrokerCapabilities, brokerCapabilities } from './broker-capabilities.ts'
import { parseBrokerVersion } from './broker-version.ts'

const versions = [
  '3.9.0',
  '3.10.8',
  '3.12.14',
  '3.13.1',
  '3.13.7',
  '4.0.5',
  '4.1.0',
  '4.3.0',
  '4.3.6',
] as const

// One row per capability, one column per version above.
const expected: { readonly [Name in keyof BrokerCapabilities]: readonly BrokerCapabilities[Name][] } = {
  supportsUnlimitedDeliveryLimit: [false, false, false, false, false, true, true, true, true],
  defaultDeliveryLimit: [undefined, undefined, undefined, undefined, undefined, 20, 20, 20, 20],
  countsNackTowardsLimit: [true, true, true, true, true, true, true, false, false],
  hasAcquiredCount: [false, false, false, false, false, false, false, true, true],
  deliveryCountAcrossHops: [
    ...['dropped', 'dropped', 'dropped', 'dropped', 'dropped'],
    ...['shown', 'shown', 'limiting', 'limiting'],
  ] as BrokerCapabilities['deliveryCountAcrossHops'][],
  trustsClientDeaths: [true, true, true, false, true, false, false, false, false],
  cycleHistory: [
    ...['x-death-header', 'x-death-header', 'x-death-header', 'unordered-map', 'imported-list'],
    ...['own-list', 'own-list', 'own-list', 'own-list'],
  ] as BrokerCapabilities['cycleHistory'][],
  hasAtLeastOnceDeadLettering: [false, true, true, true, true, true, true, true, true],
  consumerTimeout: [
    ...['closes-channel', 'closes-channel', 'closes-channel', 'closes-channel', 'closes-channel'],
    ...['closes-channel', 'closes-channel', 'cancels-quorum-consumer', 'cancels-quorum-consumer'],
  ] as BrokerCapabilities['consumerTimeout'][],
  hasConsumerTimeoutPolicy: [false, false, true, true, true, true, true, true, true],
  maxMessageSizeDefaultBytes: [128, 128, 128, 128, 128, 16, 16, 16, 16].map((size) => size * 1024 * 1024),
}

describe('brokerCapabilities', () => {
  it.each(versions.map((version, column) => [version, column] as const))(
    'of %s are those of the facts',
    (version, column) => {
      const capabilities = brokerCapabilities(parseBrokerVersion(version))

      const ofColumn = Object.entries(expected).map(([name, row]) => [name, row[column]])
      expect(capabilities).toEqual(Object.fromEntries(ofColumn))
    },
  )

  it('of a pre-release are those of the release that it leads to', () => {
    const beta = brokerCapabilities(parseBrokerVersion('4.0.0-beta.1'))

    expect(beta).toEqual(brokerCapabilities(parseBrokerVersion('4.0.0')))
  })
})
