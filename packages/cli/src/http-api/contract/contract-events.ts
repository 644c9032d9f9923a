/** The stream of events, on the line. A part of contract.ts. */

/** What a page can be told of: the lists of the same names. */
export type EventTopic = 'tasks' | 'approvals' | 'dlqs' | 'queues' | 'backups'

export interface EventsQuery {
  /** @default tasks, approvals, dlqs */
  readonly topics?: readonly EventTopic[]
}

/** The data of an event, whose name is its topic: what has become of a list. */
export interface ListChange<Item> {
  /** The items are the whole list: forget others. Otherwise they are new, or replace those with the same id or queue. */
  readonly isWhole: boolean
  readonly items: readonly Item[]
  /** Ids, or queues, of what has left the list. */
  readonly gone: readonly string[]
}
