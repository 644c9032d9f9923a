export type QueueKind = 'classic' | 'quorum' | 'stream'
