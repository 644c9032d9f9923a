import { tooManyChannels } from '../access/limits.ts'
import { renderCounts } from '../channel/render-counts.ts'
import type { Profile } from '../profile.ts'
import { profile40 } from './profile-4-0.ts'

const delayedRetryKeys = ['delayed-retry-type', 'delayed-retry-min', 'delayed-retry-max']

/** RabbitMQ 4.3 as Debian sid ships it, told as its differences from 4.0. */
export const profile43: Profile = {
  ...profile40,
  name: '4.3',
  version: '4.3.6',
  erlangVersion: '29.0.3',
  queueArguments: {
    ...profile40.queueArguments,
    quorum: [
      ...profile40.queueArguments.quorum,
      'x-consumer-disconnected-timeout',
      'x-consumer-timeout',
      ...delayedRetryKeys.map((key) => `x-${key}`),
    ],
    stream: [
      'x-max-length-bytes',
      'x-queue-type',
      'x-max-age',
      'x-stream-max-segment-size-bytes',
      'x-stream-filter-size-bytes',
      'x-initial-cluster-size',
      'x-queue-leader-locator',
    ],
  },
  consumerArguments: { ...profile40.consumerArguments, quorum: ['x-priority', 'x-consumer-timeout'] },
  checkedArguments: [
    ...profile40.checkedArguments.filter((name) => name !== 'x-queue-mode'),
    'x-consumer-timeout',
    'x-consumer-disconnected-timeout',
  ],
  policyKeys: [...profile40.policyKeys, 'consumer-disconnected-timeout', ...delayedRetryKeys],
  operatorPolicyKeys: [...profile40.operatorPolicyKeys, ...delayedRetryKeys],
  allowsQueueVersion1: false,
  masterLocator: 'refused',
  exchangeTypes: [...profile40.exchangeTypes, 'x-modulus-hash'],
  badDefaultQueueType: 'refused',
  asksToDeclarePassively: true,
  routesReplies: true,
  quorumInRefusal: '<<"quorum">>',
  minFrameMax: 8192,
  allowsGlobalPrefetch: false,
  settings: { ...profile40.settings, hasDelayedRetry: true },
  quorum: {
    ...profile40.quorum,
    priorities: 'strict',
    sizeOf: ({ bodyBytes, propertiesBytes }) => bodyBytes + propertiesBytes,
    returnsToTailWithoutLimit: false,
    // basic.reject says that the consumer failed; basic.nack says that it gives the message back.
    isFailure: (cause) => cause === 'channel-down' || cause === 'reject-return' || cause === 'reject-discard',
    limitedCount: ({ deliveryCount }) => deliveryCount,
    renderProperties: ({ message, returnCount, deliveryCount }) =>
      renderCounts(message.properties, {
        'x-acquired-count': shown(returnCount > 0 ? returnCount : deliveryCount),
        'x-delivery-count': shown(deliveryCount),
      }),
    notModelled: ['prioritised-single-consumers'],
    activatesAfterReturn: true,
    purgesDeadLetters: true,
    sendsLastDroppedFirst: false,
    takesBackAfterTimeout: true,
  },
  classicCountsFailures: true,
  closesChannelOnConsumerTimeout: false,
  stumblesOverAges: false,
  describeChannelLimit: ({ user, limit }) => tooManyChannels(user, String(limit)),
  management: {
    ...profile40.management,
    escapesPolicyProblems: false,
    exportedVhosts: 'with-limits',
    hidesOtherVhosts: true,
    declaresToProveAlive: false,
    knowsInternalQueues: true,
  },
}

function shown(count: number): number | undefined {
  return count > 0 ? count : undefined
}
