import type { ApiContext } from '../api-context.ts'
import { visibleApprovals } from '../approvals/visible-approvals.ts'
import type { Caller } from '../auth/caller.ts'
import { visibleBackups } from '../backups/visible-backups.ts'
import type { EventTopic, Permission } from '../contract/contract.ts'
import { readDlqs } from '../dlqs/read-dlqs.ts'
import { trafficSharedMs } from '../dlqs/read-traffic.ts'
import { progressEveryMs } from '../tasks/tasks.ts'
import { editionOfTasks, visibleTasks } from '../tasks/visible-tasks.ts'
import type { FeedItems } from './feed-state.ts'

/** A list that can be followed. */
export interface Topic {
  readonly needs: Permission
  readonly everyMs: number
  /** What of it the caller may see: depends on nothing of them but what `viewOfCaller` names. */
  readonly read: (caller: Caller) => Promise<FeedItems>
  /** Is another one as soon as the list may be. */
  readonly edition?: () => string
}

export type TopicContext = Pick<
  ApiContext,
  | 'tasks'
  | 'snapshots'
  | 'approvals'
  | 'notes'
  | 'dlqs'
  | 'history'
  | 'readTraffic'
  | 'settings'
  | 'broker'
  | 'renameFor'
>

/** What is told without being asked for: what a console shows on every page. */
export const usualTopics: readonly EventTopic[] = ['tasks', 'approvals', 'notes', 'dlqs']

export function createTopics(context: TopicContext): Readonly<Record<EventTopic, Topic>> {
  const { approvals, notes, readTraffic } = context
  const needs = 'dlq:read'
  return {
    tasks: {
      needs,
      everyMs: progressEveryMs,
      edition: () => editionOfTasks(context),
      read: async (caller) => byId(visibleTasks(context, caller)),
    },
    approvals: {
      needs,
      everyMs: progressEveryMs,
      edition: () => approvals.edition,
      read: async (caller) => byId(visibleApprovals(context, caller)),
    },
    notes: {
      needs,
      everyMs: progressEveryMs,
      edition: () => notes.edition,
      read: async (caller) => byId(notes.visibleTo(caller)),
    },
    dlqs: { needs, everyMs: 1_000, read: async (caller) => byQueue(await readDlqs(context, caller)) },
    queues: {
      needs,
      everyMs: trafficSharedMs,
      read: async (caller) => byQueue((await readTraffic(caller)).items),
    },
    // Each look opens every file of the folder.
    backups: {
      needs: 'dlq:backup',
      everyMs: 5_000,
      read: async (caller) => byId(await visibleBackups(context, caller)),
    },
  }
}

function byId(items: readonly { readonly id: string }[]): FeedItems {
  return new Map(items.map((item) => [item.id, JSON.stringify(item)]))
}

function byQueue(items: readonly { readonly queue: string }[]): FeedItems {
  return new Map(items.map((item) => [item.queue, JSON.stringify(item)]))
}
