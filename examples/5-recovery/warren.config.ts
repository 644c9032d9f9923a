import { defineTopology, type Topology } from 'warrenmq'

const exchange = 'imageviewer.exchange'
const dlq = 'imageviewer.dlq'

/** The routing key of each type; it is the name of its queue as well. */
const types = {
  CollectionScan: 'collection.scan',
  ThumbnailGeneration: 'thumbnail.generation',
  CacheGeneration: 'cache.generation',
  ImageProcessing: 'image.processing',
  BulkOperation: 'bulk.operation',
  LibraryScan: 'library_scan_queue',
  CollectionCreation: 'collection.creation',
} as const

/** A plain queue whose rejected messages go to the one dead-letter queue that all share. */
const worker = (key: string, more: Readonly<Record<string, string | number>> = {}) => ({
  bind: [{ exchange, key }],
  deadLetter: false as const,
  type: 'classic' as const,
  arguments: { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': dlq, ...more },
})

const topology: Topology<string> = defineTopology({
  exchanges: { [exchange]: { type: 'direct' } },
  queues: {
    ...Object.fromEntries(Object.values(types).map((key) => [key, worker(key)])),
    // Takes no more than a hundred at a time, so that a recovery can fail without harm.
    'thumbnail.generation': worker('thumbnail.generation', {
      'x-max-length': 100,
      'x-overflow': 'reject-publish',
    }),
    [dlq]: { deadLetter: false, type: 'classic' },
  },
  recovery: {
    queues: [dlq],
    exchange,
    types,
    // The document waits 10 s and 5 s, which are the defaults too; an example need not.
    timeouts: { total: '30m', stall: '30s', idle: '500ms', empty: '500ms' },
  },
})

export default topology
