/** What the proof can find, by property. An acceptance names a property or `property/finding`. */
export const findingsByProperty = {
  'no-black-hole': [
    'publication-unrouted',
    'message-unrouted',
    'handler-unreached',
    'message-unhandled',
    'dead-letter-exchange-missing',
    'dead-letter-unrouted',
    'retry-unrouted',
    'park-unrouted',
  ],
  'comes-home': ['seen-by-others', 'never-returns'],
  ends: ['cut-cycle', 'uncounted-cycle'],
  'no-silent-loss': [
    'at-most-once-hop',
    'classic-to-quorum-hop',
    'drop-head',
    'restart-drops',
    'full-target-drops',
    'ttl-deletes',
    'retention-deletes',
    'queue-expires',
    'delivery-limit-drops',
    'not-durable',
    'auto-delete',
  ],
  'dlq-keeps': [
    'ttl',
    'queue-expires',
    'drop-head',
    'restart-drops',
    'delivery-limit',
    'not-durable',
    'auto-delete',
    'dead-letters-on',
  ],
  'second-failure': ['no-dead-letter-queue', 'park-misses-dlq', 'redrive-misses-queue'],
  'right-for-version': ['refused', 'ignored', 'misread', 'unsupported-version', 'known-fault'],
} as const

/** The name of a property that `proveTopology` looks at. */
export type ProvedProperty = keyof typeof findingsByProperty

export const propertyNames: readonly ProvedProperty[] = Object.keys(findingsByProperty) as ProvedProperty[]

/** Every name that an acceptance may use. */
export const findingNames: ReadonlySet<string> = new Set(
  propertyNames.flatMap((property) => [
    property,
    ...findingsByProperty[property].map((code) => `${property}/${code}`),
  ]),
)
