/** Which figure of a participant is compared, and what counts as reached. */
export interface Target {
  readonly against: string
  readonly metric:
    | 'messagesPerSecond'
    | 'cpuMicrosPerMessage'
    | 'brokerCpuMicrosPerMessage'
    | 'peakMemoryMiB'
    | 'seconds'
    | 'frameSeconds'
  /** Ours ÷ theirs; ours − theirs in MiB for memory; our own figure where `against` is ourselves. Without a bound it is only told. */
  readonly atLeast?: number
  readonly atMost?: number
  /** The geometric mean over the versions of RabbitMQ that are measured. */
  readonly meanAtLeast?: number
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
  /** What it is filled with carries the headers of a failure, as dead letters do. */
  readonly isFilledWithFailures?: boolean
  /** There is a second queue, of the same type, to move messages to. */
  readonly hasTarget?: boolean
  readonly targets: readonly Target[]
}

export interface Participant {
  readonly name: string
  readonly script: string
  /** Where this participant gets another number of messages than the others. `--messages` lowers it, too. */
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
const filtered = [
  { name: 'warren', script: 'redrive-filtered-warren' },
  { name: 'look and move', script: 'redrive-look-and-move' },
]

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
    name: 'consumer',
    what: 'consume() with a handler that does nothing, 1 KiB, prefetch 1000, beside bare channels and rascal',
    participants: [
      { name: 'warren', script: 'consumer-warren' },
      { name: 'bare channel', script: 'consume-warren' },
      { name: 'bare amqplib', script: 'consume-amqplib' },
      { name: 'rascal', script: 'consumer-rascal' },
    ],
    queueTypes: ['quorum'],
    messages: 200_000,
    runs: 5,
    isFilledFirst: true,
    targets: [
      { against: 'bare channel', metric: 'messagesPerSecond', atLeast: 0.9 },
      { against: 'bare channel', metric: 'cpuMicrosPerMessage' },
      { against: 'bare amqplib', metric: 'messagesPerSecond', atLeast: 1 },
      { against: 'bare amqplib', metric: 'cpuMicrosPerMessage' },
      { against: 'rascal', metric: 'messagesPerSecond' },
      { against: 'rascal', metric: 'cpuMicrosPerMessage' },
    ],
  },
  {
    name: 'consumer-defaults',
    what: 'consume() with a time-out of 30 s and a handler that does nothing, 1 KiB, beside rascal, both with the prefetch they come with',
    participants: [
      { name: 'warren', script: 'consumer-warren-as-it-comes' },
      { name: 'rascal', script: 'consumer-rascal-as-it-comes' },
    ],
    queueTypes: ['quorum'],
    messages: 50_000,
    runs: 5,
    isFilledFirst: true,
    targets: [
      { against: 'rascal', metric: 'messagesPerSecond', atLeast: 3 },
      { against: 'rascal', metric: 'cpuMicrosPerMessage' },
    ],
  },
  {
    name: 'storm',
    what: 'every message fails twice and is handled at its third attempt, 100 ms after each failure',
    participants: [
      { name: 'warren', script: 'consumer-storm-warren' },
      { name: 'rascal', script: 'consumer-storm-rascal' },
    ],
    queueTypes: ['none'],
    // It opens a channel for every message that it republishes, so more would take minutes.
    messages: 1_000,
    runs: 3,
    targets: [
      { against: 'rascal', metric: 'messagesPerSecond', atLeast: 1 },
      { against: 'rascal', metric: 'cpuMicrosPerMessage', atMost: 1 },
      { against: 'rascal', metric: 'brokerCpuMicrosPerMessage', atMost: 1 },
    ],
  },
  {
    name: 'consumer-memory',
    what: 'peak memory with 1,000,000 messages through consume(), beside 10,000',
    participants: [
      { name: 'warren', script: 'consumer-through-warren', messages: 1_000_000 },
      { name: 'warren at 10,000', script: 'consumer-through-warren', messages: 10_000 },
    ],
    queueTypes: ['classic'],
    messages: 1_000_000,
    runs: 1,
    targets: [{ against: 'warren at 10,000', metric: 'peakMemoryMiB', atMost: 32 }],
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
    name: 'plan',
    what: 'plan against a live broker with 1,000 queues: the time beyond what the broker takes to answer',
    participants: [{ name: 'warren', script: 'topology-plan' }],
    queueTypes: ['none'],
    messages: 1_000,
    runs: 3,
    targets: [{ against: 'warren', metric: 'seconds', atMost: 5 }],
  },
  {
    name: 'redrive',
    what: 'move 1 KiB messages from queue to queue, each confirmed before it is acknowledged',
    participants: [
      { name: 'warren', script: 'redrive-warren' },
      { name: 'shovel', script: 'redrive-shovel' },
      { name: 'amqplib', script: 'redrive-amqplib' },
      { name: 'ceiling', script: 'redrive-ceiling' },
      { name: 'bare loop', script: 'redrive-bare' },
      // The recovery service as it is usually written. A rate needs no more messages than these.
      { name: 'one at a time, prefetch 1', script: 'redrive-one-at-a-time', messages: 3_000 },
    ],
    queueTypes: ['quorum'],
    messages: 119_762,
    runs: 5,
    isFilledFirst: true,
    hasTarget: true,
    targets: [
      { against: 'shovel', metric: 'messagesPerSecond', atLeast: 0.9, meanAtLeast: 1 },
      { against: 'amqplib', metric: 'messagesPerSecond', atLeast: 1.25 },
      { against: 'amqplib', metric: 'cpuMicrosPerMessage', atMost: 0.4 },
      { against: 'ceiling', metric: 'messagesPerSecond', atLeast: 0.7 },
      // What can be had: it does what a re-drive must do to each message, and nothing else.
      { against: 'bare loop', metric: 'messagesPerSecond', atLeast: 0.97 },
      { against: 'bare loop', metric: 'cpuMicrosPerMessage', atMost: 1.15 },
      { against: 'one at a time, prefetch 1', metric: 'messagesPerSecond', atLeast: 20 },
    ],
  },
  {
    name: 'redrive-memory',
    what: 'peak memory of a re-drive of 1,000,000 messages, beside 10,000',
    participants: [
      { name: 'warren', script: 'redrive-warren', messages: 1_000_000 },
      { name: 'warren at 10,000', script: 'redrive-warren', messages: 10_000 },
    ],
    queueTypes: ['quorum'],
    messages: 1_000_000,
    runs: 1,
    isFilledFirst: true,
    hasTarget: true,
    targets: [{ against: 'warren at 10,000', metric: 'peakMemoryMiB', atMost: 48 }],
  },
  {
    name: 'redrive-filtered',
    what: 're-drive every twentieth of 119,762 messages of 1 KiB, beside a look at all and a re-drive of as many',
    participants: filtered,
    queueTypes: ['quorum'],
    messages: 119_762,
    runs: 3,
    isFilledFirst: true,
    hasTarget: true,
    targets: [{ against: 'look and move', metric: 'seconds', atMost: 1.5 }],
  },
  {
    name: 'redrive-filtered-million',
    what: 'the same with 1,000,000 messages',
    participants: filtered,
    queueTypes: ['quorum'],
    messages: 1_000_000,
    runs: 1,
    isFilledFirst: true,
    hasTarget: true,
    targets: [{ against: 'look and move', metric: 'seconds', atMost: 1.5 }],
  },
  {
    name: 'embedded',
    what: 'publish and consume 1 KiB through amqplib: embedded broker in the same process, and RabbitMQ',
    participants: [
      { name: 'embedded', script: 'embedded-amqplib' },
      { name: 'rabbitmq', script: 'embedded-amqplib-real' },
    ],
    queueTypes: ['classic'],
    messages: 100_000,
    runs: 5,
    targets: [{ against: 'rabbitmq', metric: 'messagesPerSecond', atLeast: 1 }],
  },
  {
    name: 'embedded-day',
    what: 'a virtual day with 100,000 timers on the embedded broker',
    participants: [{ name: 'embedded', script: 'embedded-virtual-day' }],
    queueTypes: ['none'],
    messages: 100_000,
    runs: 3,
    targets: [{ against: 'embedded', metric: 'seconds', atMost: 2 }],
  },
  {
    name: 'embedded-memory',
    what: 'live memory that 100,000 queued messages of 1 KiB hold; 2 KiB each are 195.3 MiB',
    participants: [{ name: 'embedded', script: 'embedded-memory' }],
    queueTypes: ['none'],
    messages: 100_000,
    runs: 1,
    targets: [{ against: 'embedded', metric: 'peakMemoryMiB', atMost: 195.3 }],
  },
  {
    name: 'embedded-start',
    what: 'the first start of an embedded broker in a process',
    participants: [{ name: 'embedded', script: 'embedded-start' }],
    queueTypes: ['none'],
    messages: 1,
    runs: 5,
    targets: [{ against: 'embedded', metric: 'seconds', atMost: 0.05 }],
  },
  {
    name: 'causes',
    what: 'read every dead letter of 1 KiB, group them by cause and leave them, beside a bare consume and a bare look',
    participants: [
      { name: 'warren', script: 'causes-warren' },
      { name: 'bare consume', script: 'consume-warren' },
      { name: 'bare look', script: 'look-bare' },
    ],
    queueTypes: ['quorum'],
    messages: 119_762,
    runs: 5,
    isFilledFirst: true,
    isFilledWithFailures: true,
    targets: [
      { against: 'bare consume', metric: 'messagesPerSecond', atLeast: 0.8 },
      { against: 'bare consume', metric: 'cpuMicrosPerMessage' },
      // Whoever leaves the messages where they are must hold them all; so this is what can be had.
      { against: 'bare look', metric: 'messagesPerSecond', atLeast: 0.8 },
    ],
  },
  {
    name: 'causes-memory',
    what: 'peak memory of grouping 1,000,000 dead letters by cause, beside 10,000',
    participants: [
      { name: 'warren', script: 'causes-warren', messages: 1_000_000 },
      { name: 'warren at 10,000', script: 'causes-warren', messages: 10_000 },
    ],
    queueTypes: ['quorum'],
    messages: 1_000_000,
    runs: 1,
    isFilledFirst: true,
    isFilledWithFailures: true,
    targets: [{ against: 'warren at 10,000', metric: 'peakMemoryMiB', atMost: 48 }],
  },
  {
    name: 'serve-load',
    what: 're-drive through the admin API while 200 clients poll lists and 20 watch its progress, beside the same without them',
    participants: [
      { name: 'with clients', script: 'serve-load' },
      { name: 'alone', script: 'serve-alone' },
    ],
    queueTypes: ['quorum'],
    messages: 119_762,
    runs: 5,
    isFilledFirst: true,
    hasTarget: true,
    targets: [{ against: 'alone', metric: 'messagesPerSecond', atLeast: 0.9 }],
  },
  {
    name: 'serve-slowest',
    what: 'the slowest request of 200 clients that poll lists during such a re-drive',
    participants: [{ name: 'slowest request', script: 'serve-slowest' }],
    queueTypes: ['quorum'],
    messages: 119_762,
    runs: 3,
    isFilledFirst: true,
    hasTarget: true,
    targets: [{ against: 'slowest request', metric: 'seconds', atMost: 1 }],
  },
  {
    name: 'console',
    what: 'a snapshot of a queue of 1 KiB messages, made through the admin API, beside a bare consume of the same',
    participants: [
      { name: 'snapshot', script: 'snapshot-make' },
      { name: 'bare consume', script: 'consume-warren' },
    ],
    queueTypes: ['quorum'],
    messages: 1_000_000,
    runs: 1,
    isFilledFirst: true,
    isFilledWithFailures: true,
    targets: [
      { against: 'bare consume', metric: 'messagesPerSecond', atLeast: 0.5 },
      { against: 'bare consume', metric: 'peakMemoryMiB', atMost: 250 },
    ],
  },
  ...(['page', 'filter', 'message'] as const).map(
    (read): Bench => ({
      name: 'console',
      what: `a ${read} of a snapshot of 1,000,000 messages, beside one of 10,000`,
      participants: [
        { name: `${read} at 1,000,000`, script: `snapshot-${read}`, messages: 1_000_000 },
        { name: `${read} at 10,000`, script: `snapshot-${read}`, messages: 10_000 },
      ],
      queueTypes: ['quorum'],
      messages: 1_000_000,
      runs: 1,
      isFilledFirst: true,
      isFilledWithFailures: true,
      targets: [{ against: `${read} at 10,000`, metric: 'seconds', atMost: 2 }],
    }),
  ),
  {
    name: 'console',
    what: 'the first rows of the console with 10,000 dead-letter queues, and scrolling them, beside 100',
    participants: [
      { name: 'rows of 10,000', script: 'console-rows', messages: 10_000 },
      { name: 'rows of 100', script: 'console-rows', messages: 100 },
    ],
    queueTypes: ['none'],
    messages: 10_000,
    runs: 3,
    targets: [
      { against: 'rows of 100', metric: 'seconds', atMost: 1.5 },
      { against: 'rows of 100', metric: 'frameSeconds' },
    ],
  },
]
