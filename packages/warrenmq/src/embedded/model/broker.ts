import type { Clock } from '../../clock.ts'
import type { Permission, User } from './access/access.ts'
import type { Limits } from './access/limits.ts'
import type { TopicPermissions } from './access/topic-permission.ts'
import type { ReplyTarget } from './channel/reply-target.ts'
import type { SeededRandom } from './collections/seeded-random.ts'
import type { Inbox } from './inbox.ts'
import type { Profile } from './profile.ts'
import type { ServerNames } from './server-names.ts'
import type { Vhost } from './vhost.ts'

/** All that a broker is. Every change goes through `inbox.run`, so that one thing happens after the other. */
export interface Broker {
  readonly profile: Profile
  readonly clock: Clock
  readonly names: ServerNames
  readonly inbox: Inbox
  readonly vhosts: Map<string, Vhost>
  readonly users: Map<string, User>
  /** By vhost, then by user. */
  readonly permissions: Map<string, Map<string, Permission>>
  readonly topicPermissions: TopicPermissions
  /** By user. */
  readonly userLimits: Map<string, Limits>
  /** Channels that wait for direct replies, by the suffix of their address. */
  readonly replyChannels: Map<string, ReplyTarget>
  /** Kept for whoever exports them: none of them changes what the broker does. */
  readonly globalParameters: Map<string, unknown>
  /** Chance for the order of confirms, where it is not that of the publishes. */
  readonly confirmOrder: SeededRandom | undefined
  nextChannelId: number
  /** `booting` is the moment after a crash in which quorum queues have no leader yet. */
  phase: 'up' | 'down' | 'booting'
  /** What fell due while the broker was down, in its order. */
  readonly missed: (() => void)[]
}
