import type { ManagementAccess } from '../../../test/support/call-management.ts'
import { callManagement } from '../../../test/support/call-management.ts'

export interface PeerTask {
  readonly url: string
  readonly managementUrl: string
  readonly vhost: string
  readonly source: string
  readonly target: string
  readonly prefetch: number
  readonly republishes: boolean
}

/** Somebody who moves messages from one queue into another. */
export interface Participant {
  readonly name: string
  /** How it is used, for the table. */
  readonly settings: string
  /** The file to run, in this folder; undefined: it runs in the broker. */
  readonly script: string | undefined
  readonly republishes?: boolean
  /** What begins it there. */
  readonly begin?: (access: ManagementAccess, task: PeerTask) => Promise<unknown>
}

export const participants: readonly Participant[] = [
  {
    name: 'warren',
    settings: 'One re-drive after the other, with a window of 100 messages.',
    script: 'warren.mjs',
  },
  {
    name: 'shovel',
    settings:
      "RabbitMQ's own dynamic shovel with ack-mode on-confirm, prefetch 100 and reconnect-delay 1; it runs in the broker, and its connections go through the same proxy.",
    script: undefined,
    begin: beginShovel,
  },
  {
    name: 'amqplib without confirms',
    settings: 'amqplib 2.3.1: consume, publish, ack; prefetch 100; connects again by itself.',
    script: 'amqplib-without-confirms.mjs',
  },
  {
    name: 'amqplib without confirms, two connections',
    settings: 'The same with one connection that consumes and one that publishes.',
    script: 'amqplib-two-connections.mjs',
  },
  {
    name: 'amqplib with confirms',
    settings:
      'amqplib 2.3.1 with a confirm channel: mandatory, ack after the confirm, nack of what is refused; prefetch 100; connects again by itself.',
    script: 'amqplib-with-confirms.mjs',
  },
  {
    name: 'rascal, forward',
    settings: 'rascal 21.0.1: the recovery strategy forward, to a publication with confirm; prefetch 100.',
    script: 'rascal-forward.mjs',
  },
  {
    name: 'rascal, republish and forward',
    settings: 'rascal 21.0.1: the recovery strategies republish, once, and then forward; prefetch 100.',
    script: 'rascal-forward.mjs',
    republishes: true,
  },
]

async function beginShovel(access: ManagementAccess, task: PeerTask): Promise<unknown> {
  const value = {
    'src-protocol': 'amqp091',
    'src-uri': task.url,
    'src-queue': task.source,
    'dest-protocol': 'amqp091',
    'dest-uri': task.url,
    'dest-queue': task.target,
    'src-prefetch-count': task.prefetch,
    'ack-mode': 'on-confirm',
    'reconnect-delay': 1,
  }
  return callManagement(access, 'PUT', `/api/parameters/shovel/${encodeURIComponent(task.vhost)}/mover`, {
    value,
  })
}
