import type { LeftoverChoice } from './deploy/remove-leftover.ts'

/** What `apply` may do. */
export interface ApplySettings {
  /**
   * Wait queues of delays that the topology no longer has. `remove-empty` deletes one that is empty, while its work queue
   * has no consumer: a replica of an older release could still publish there. @default 'keep'
   * @example { leftovers: 'remove-empty' }
   */
  readonly leftovers?: LeftoverChoice
}
