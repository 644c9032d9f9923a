/** Which figure of a participant is compared, and what counts as reached. */
export interface Target {
  readonly against: string
  readonly metric: 'messagesPerSecond' | 'cpuMicrosPerMessage' | 'peakMemoryMiB' | 'seconds'
  /** Ours ÷ theirs; ours − theirs in MiB for memory; our own figure where `against` is ourselves. Without a bound it is only told. */
  readonly atLeast?: number
  readonly atMost?: number
}

/** One benchmark: who takes part, on what, and what must be reached. A new one is an entry in this list. */
export interface Bench {
  readonly name: string
  readonly what: string
  /** Scripts in participants/, ours first. */
  readonly participants: readonly Participant[]
  /** `none` for what needs no broker. */
  readonly queueTypes: readonly ('classic' | 'quorum' | 'none')[]
  readonly messages: number
  readonly runs: number
  /** The queue holds this many messages before each participant starts. */
  readonly isFilledFirst?: boolean
  /** There is a second queue, of the same type, to move messages to. */
  readonly hasTarget?: boolean
  readonly targets: readonly Target[]
}

export interface Participant {
  readonly name: string
  readonly script: string
  /** Where this participant gets another number of messages than the others. */
  readonly messages?: number
}

const publishers = ['warren', 'amqplib', 'rabbitmq-client'].map((name) => ({
  name,
  script: `publish-${name}`,
}))
const consumers = ['warren', 'amqplib', 'rabbitmq-client'].map((name) => ({
  name,
  script: `consume-${name}`,
}))

export const benches: readonly Bench[] = [
  {
    name: 'publish',
    what: 'publish with confirms, 1 KiB, mandatory and persistent, one publisher, 1000 in flight',
    participants: publishers,
    queueTypes: ['quorum', 'classic'],
    messages: 200_000,
    runs: 5,
    targets: [
      { against: 'amqplib', metric: 'messagesPerSecond', atLeast: 1.15 },
      { against: 'amqplib', metric: 'cpuMicrosPerMessage', atMost: 0.4 },
      { against: 'rabbitmq-client', metric: 'messagesPerSecond' },
      { against: 'rabbitmq-client', metric: 'cpuMicrosPerMessage' },
    ],
  },
  {
    name: 'consume',
    what: 'consume and ack each message, 1 KiB, prefetch 1000',
    participants: consumers,
    queueTypes: ['quorum', 'classic'],
    messages: 200_000,
    runs: 5,
    isFilledFirst: true,
    targets: [
      { against: 'amqplib', metric: 'messagesPerSecond', atLeast: 1.2 },
      { against: 'amqplib', metric: 'cpuMicrosPerMessage', atMost: 0.5 },
      { against: 'rabbitmq-client', metric: 'messagesPerSecond' },
      { against: 'rabbitmq-client', metric: 'cpuMicrosPerMessage' },
    ],
  },
  {
    name: 'memory',
    what: 'peak memory with 1,000,000 messages published and consumed, beside 10,000',
    participants: [
      { name: 'warren', script: 'through-warren', messages: 1_000_000 },
      { name: 'warren at 10,000', script: 'through-warren', messages: 10_000 },
    ],
    queueTypes: ['classic'],
    messages: 1_000_000,
    runs: 1,
    targets: [{ against: 'warren at 10,000', metric: 'peakMemoryMiB', atMost: 32 }],
  },
  {
    name: 'topology',
    what: 'declare, compile, prove and diff 10,000 queues with four delays and a DLQ each, beside 1,000',
    participants: [
      { name: 'warren', script: 'topology-warren', messages: 10_000 },
      { name: 'warren at 1,000', script: 'topology-warren', messages: 1_000 },
    ],
    queueTypes: ['none'],
    messages: 10_000,
    runs: 5,
    targets: [
      { against: 'warren', metric: 'seconds', atMost: 3 },
      { against: 'warren at 1,000', metric: 'seconds', atMost: 13 },
    ],
  },
  {
    name: 'redrive',
    what: 'move 1 KiB messages from queue to queue, each confirmed before it is acknowledged',
    participants: [
      { name: 'warren', script: 'redrive-warren' },
      { name: 'shovel', script: 'redrive-shovel' },
      { name: 'amqplib', script: 'redrive-amqplib' },
      { name: 'one at a time', script: 'redrive-one-at-a-time', messages: 3_000 },
    ],
    queueTypes: ['quorum'],
    messages: 119_762,
    runs: 5,
    isFilledFirst: true,
    hasTarget: true,
    targets: [
      { against: 'shovel', metric: 'messagesPerSecond', atLeast: 0.9 },
      { against: 'amqplib', metric: 'messagesPerSecond', atLeast: 1.25 },
      { against: 'amqplib', metric: 'cpuMicrosPerMessage', atMost: 0.4 },
      { against: 'one at a time', metric: 'messagesPerSecond', atLeast: 20 },
    ],
  },
]
