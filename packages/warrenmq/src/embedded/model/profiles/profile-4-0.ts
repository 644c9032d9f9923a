import { tooManyChannels } from '../access/limits.ts'
import { renderCounts } from '../channel/render-counts.ts'
import { normaliseProperties } from '../message/normalise-properties.ts'
import { mirroringKeys } from '../policy/mirroring-problem.ts'
import type { Profile } from '../profile.ts'
import { deathHistory } from '../queue/death-history.ts'
import { storedFrom40 } from '../stream/stream-storage.ts'
import { profile310 } from './profile-3-10.ts'

/** RabbitMQ 4.0 as Debian 13 ships it, told as its differences from 3.10. */
export const profile40: Profile = {
  ...profile310,
  name: '4.0',
  version: '4.0.5',
  erlangVersion: '27.3.4.1',
  queueArguments: {
    ...profile310.queueArguments,
    classic: [...profile310.queueArguments.classic, 'x-queue-leader-locator'],
  },
  consumerArguments: {
    classic: ['x-priority'],
    quorum: ['x-priority'],
    stream: ['x-stream-offset', 'x-stream-filter', 'x-stream-match-unfiltered'],
  },
  checkedArguments: [...profile310.checkedArguments, 'x-stream-filter-size-bytes'],
  unsupportedPolicyKeys: {
    ...profile310.unsupportedPolicyKeys,
    classic: [
      'max-age',
      'stream-max-segment-size-bytes',
      'initial-cluster-size',
      'delivery-limit',
      'dead-letter-strategy',
      'max-in-memory-length',
      'max-in-memory-bytes',
      'target-group-size',
    ],
    stream: [...profile310.unsupportedPolicyKeys.stream, 'target-group-size'],
  },
  policyKeys: [
    ...profile310.policyKeys.filter((key) => !mirroringKeys.includes(key)),
    'consumer-timeout',
    'stream-filter-size-bytes',
    'target-group-size',
  ],
  operatorPolicyKeys: [...profile310.operatorPolicyKeys, 'queue-version', 'overflow', 'target-group-size'],
  policyTargets: ['all', 'queues', 'exchanges', 'classic_queues', 'quorum_queues', 'streams'],
  allowsNegativeDeliveryLimitPolicy: true,
  takesMirroring: false,
  masterLocator: 'lenient',
  exchangeTypes: [...profile310.exchangeTypes, 'x-local-random'],
  hasDefaultQueueType: true,
  badDefaultQueueType: 'internal-error',
  checksEveryTopic: true,
  addsQueueTypeArgument: true,
  maxMessageBytes: 16_777_216,
  namesRefusedPermission: true,
  unknownExchangeType: 'PRECONDITION_FAILED',
  streamRefusals: {
    noPrefetch: (resource) => `consumer prefetch count is not set for stream ${resource}`,
    noAck: (resource) => `automatic acknowledgement not supported by stream ${resource}`,
    rejecting: undefined,
  },
  publish: { refusesUnknownDeliveryMode: false, normalise: normaliseProperties },
  deaths: deathHistory,
  headerComparison: 'strict',
  settings: { defaultDeliveryLimit: 20, isNegativeLimitUnlimited: true, hasDelayedRetry: false },
  quorum: {
    ...profile310.quorum,
    priorities: 'two-levels',
    opensWithoutLimit: true,
    // Every discard counts as a failure, a return does not; only the carried count tells the difference.
    isFailure: (cause) => cause === 'channel-down' || cause === 'discard' || cause === 'reject-discard',
    carriesDeliveryCount: true,
    isRedelivered: ({ returnCount, deliveryCount }) => returnCount > 0 || deliveryCount > 0,
    renderProperties: ({ message, returnCount, deliveryCount }) => {
      const count = returnCount > 0 ? returnCount : deliveryCount
      return renderCounts(message.properties, { 'x-delivery-count': count > 0 ? count : undefined })
    },
    hasCreditCeiling: true,
    overcreditsAtLimit: false,
    sortsWaitingConsumers: true,
    notModelled: ['prioritised-single-consumers'],
    keepsLettersToItself: false,
    ordersDeliveriesBy: 'age',
  },
  deadLettersIntoStreams: true,
  checksQueueLimitFirst: false,
  describeChannelLimit: ({ node, limit }) => tooManyChannels(node, `(${limit})`),
  management: {
    ...profile310.management,
    namesMissingTargets: true,
    exportsVhostOfPolicies: false,
    exportedVhosts: 'with-description',
    skipsLooseBindings: false,
    hidesFeatureFlags: false,
  },
  streamStorage: storedFrom40,
}
