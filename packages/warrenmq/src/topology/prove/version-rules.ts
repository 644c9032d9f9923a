import { type BrokerVersion, isAtLeast } from '../../message/broker-version.ts'
import type { CompiledQueue } from '../compiled-topology.ts'

/** A combination of arguments that some versions refuse, ignore or misread. */
export interface VersionRule {
  readonly code: 'refused' | 'ignored' | 'misread'
  readonly happening: string
  readonly problem: string
  readonly wayOut: string
  /** The versions it concerns: from `since` on, and before `before`. */
  readonly since?: string
  readonly before?: string
  applies(queue: CompiledQueue): boolean
}

/** The rules that concern a version. */
export function rulesFor(version: BrokerVersion): readonly VersionRule[] {
  return versionRules.filter(
    ({ since, before }) =>
      (since === undefined || isAtLeast(version, since)) &&
      (before === undefined || !isAtLeast(version, before)),
  )
}

const argument = (queue: CompiledQueue, name: string) => queue.arguments[name]

const versionRules: readonly VersionRule[] = [
  {
    code: 'misread',
    happening: 'x-delivery-limit=-1',
    problem:
      'Before RabbitMQ 4.0 a negative delivery limit does not mean unlimited: the first return drops the message.',
    wayOut: 'Leave x-delivery-limit out on this version; there is no limit unless one is set.',
    before: '4.0.0',
    applies: (queue) => Number(argument(queue, 'x-delivery-limit')) < 0,
  },
  {
    code: 'refused',
    happening: 'x-dead-letter-routing-key without x-dead-letter-exchange',
    problem: 'The broker refuses a dead-letter routing key without a dead-letter exchange (406).',
    wayOut: 'Set x-dead-letter-exchange as well; "" is the default exchange.',
    applies: (queue) =>
      argument(queue, 'x-dead-letter-routing-key') !== undefined &&
      argument(queue, 'x-dead-letter-exchange') === undefined,
  },
  {
    code: 'ignored',
    happening: 'x-dead-letter-strategy=at-least-once, but x-overflow is not reject-publish',
    problem: 'Without x-overflow: reject-publish, the broker falls back to at most once and only logs it.',
    wayOut: 'Add x-overflow: reject-publish.',
    applies: (queue) =>
      argument(queue, 'x-dead-letter-strategy') === 'at-least-once' &&
      (argument(queue, 'x-overflow') !== 'reject-publish' ||
        argument(queue, 'x-dead-letter-exchange') === undefined),
  },
  {
    code: 'ignored',
    happening: 'x-overflow=reject-publish-dlx',
    problem: 'A quorum queue accepts reject-publish-dlx and does not act on it.',
    wayOut: 'Use reject-publish.',
    applies: (queue) => queue.type === 'quorum' && argument(queue, 'x-overflow') === 'reject-publish-dlx',
  },
  {
    code: 'ignored',
    happening: 'x-message-ttl on a quorum queue',
    problem: 'Quorum queues expire messages from RabbitMQ 3.10 on.',
    wayOut: 'Upgrade to 3.10 or later.',
    before: '3.10.0',
    applies: (queue) => queue.type === 'quorum' && argument(queue, 'x-message-ttl') !== undefined,
  },
  {
    code: 'ignored',
    happening: 'x-queue-mode',
    problem: 'The queue mode has no effect from RabbitMQ 3.12 on.',
    wayOut: 'Remove x-queue-mode.',
    since: '3.12.0',
    applies: (queue) => argument(queue, 'x-queue-mode') !== undefined,
  },
  {
    code: 'refused',
    happening: 'x-queue-version=1',
    problem: 'RabbitMQ 4.3 refuses the old storage of classic queues (406).',
    wayOut: 'Remove x-queue-version.',
    since: '4.3.0',
    applies: (queue) => argument(queue, 'x-queue-version') === 1,
  },
  {
    code: 'refused',
    happening: 'quorum and not durable, or auto-delete',
    problem: 'The broker refuses a quorum queue or a stream that is not durable or deletes itself (406).',
    wayOut: 'Declare it durable and without autoDelete, or make it classic.',
    applies: (queue) => queue.type !== 'classic' && (!queue.durable || queue.autoDelete),
  },
  {
    code: 'refused',
    happening: 'classic and not durable',
    problem:
      'Queues that are neither durable nor exclusive are deprecated, and RabbitMQ 4.3 may refuse them.',
    wayOut: 'Declare it durable.',
    since: '4.3.0',
    applies: (queue) => queue.type === 'classic' && !queue.durable,
  },
]
