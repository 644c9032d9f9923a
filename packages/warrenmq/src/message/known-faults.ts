import { type BrokerVersion, isAtLeast } from './broker-version.ts'

/** A fault of certain releases of RabbitMQ that a careful operator hears of before they meet it. */
export interface KnownFault {
  /** Stable, for links and for tests. */
  readonly id: string
  /** `avoid`: do not run retries or dead letters on it. `careful`: know it. */
  readonly severity: 'avoid' | 'careful'
  /** The releases that have it. */
  readonly releases: readonly ReleaseRange[]
  /** What happens, and what helps. */
  readonly text: string
}

/** From one release up to the first one without the fault; open-ended while none is known. */
export type ReleaseRange = readonly [from: string, fixedIn?: string]

/** The faults that a version has, worst first. */
export function knownFaults(version: BrokerVersion): readonly KnownFault[] {
  return faults.filter(({ releases }) => releases.some((range) => isWithin(version, range)))
}

function isWithin(version: BrokerVersion, [from, fixedIn]: ReleaseRange): boolean {
  return isAtLeast(version, from) && (fixedIn === undefined || !isAtLeast(version, fixedIn))
}

const faults: readonly KnownFault[] = [
  {
    id: 'unordered-deaths',
    severity: 'avoid',
    releases: [['3.13.0', '3.13.3']],
    text: 'Death history has no order: dead letters are dropped as cycles even after a rejection, and counts restart at 1.',
  },
  {
    id: 'raft-commits-early',
    severity: 'avoid',
    releases: [['4.3.0', '4.3.3']],
    text: 'The leader of a quorum queue could commit an entry before a majority had it.',
  },
  {
    id: 'carried-delivery-count',
    severity: 'careful',
    releases: [['4.3.0']],
    text: 'A message dead-lettered by its delivery limit reaches the next quorum queue over the limit: its first return deletes it unless that queue is unlimited.',
  },
  {
    id: 'negative-delivery-limit-drops',
    severity: 'careful',
    releases: [['0.0.0', '4.0.0']],
    text: 'x-delivery-limit of -1 is accepted and drops a message at its first return.',
  },
  {
    id: 'peek-did-not-requeue',
    severity: 'careful',
    releases: [['3.12.0', '3.12.7']],
    text: 'Getting messages over the HTTP API with "nack and requeue" did not put them back.',
  },
  {
    id: 'requeue-then-cancel',
    severity: 'careful',
    releases: [['4.0.0', '4.0.3']],
    text: 'A requeue followed immediately by a cancel could fail to requeue.',
  },
  {
    id: 'dead-letter-crash',
    severity: 'careful',
    releases: [['4.0.0', '4.0.5']],
    text: 'Some dead-lettering could crash the queue.',
  },
  {
    id: 'classic-store-loses-few',
    severity: 'careful',
    releases: [['0.0.0', '4.1.5']],
    text: 'The message store of classic queues could lose a few messages, and publishes to quorum queues around a partition were not sent again.',
  },
  {
    id: 'at-least-once-wrong-member',
    severity: 'careful',
    releases: [
      ['4.2.0', '4.2.7'],
      ['4.3.0', '4.3.1'],
    ],
    text: 'At-least-once dead-lettering could run on the wrong member of a quorum queue.',
  },
  {
    id: 'at-least-once-stuck-after-membership-change',
    severity: 'careful',
    releases: [['4.3.0', '4.3.3']],
    text: 'At-least-once dead-lettering could stop for good after members of the queue came and went.',
  },
  {
    id: 'single-active-consumer-deadlock',
    severity: 'careful',
    releases: [['4.3.0', '4.3.6']],
    text: 'A quorum queue with a single active consumer could deliver nothing after all its consumers had timed out.',
  },
  {
    id: 'scrambled-nack-multiple',
    severity: 'careful',
    releases: [['3.10.0', '4.0.0']],
    text: 'A nack of many messages at once to a quorum queue with a limit can change their order.',
  },
  {
    id: 'quorum-reconsume-exception',
    severity: 'careful',
    releases: [['3.10.0', '3.10.9']],
    text: 'Cancelling and consuming again on a quorum queue may close the channel.',
  },
]
