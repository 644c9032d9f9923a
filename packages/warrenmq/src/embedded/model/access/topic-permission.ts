/** What keys of a topic exchange a user may publish with and bind by, as patterns. An empty pattern allows nothing. */
export interface TopicPermission {
  readonly exchange: string
  readonly write: string
  readonly read: string
}

/** By vhost, then by user, then by exchange. */
export type TopicPermissions = Map<string, Map<string, Map<string, TopicPermission>>>
