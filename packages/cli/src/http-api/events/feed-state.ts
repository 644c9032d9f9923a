/** A list as it is told to those who follow it, with as much of what it was before as is remembered. */
export interface FeedState {
  /** Names what the list holds. Two lists with the same name hold the same, on whichever server. */
  readonly digest: string
  /** Counts the changes. */
  readonly version: number
  readonly items: ReadonlyMap<string, FeedItem>
  /** What has left the list, and in which version. */
  readonly gone: ReadonlyMap<string, number>
  /** The versions in which the list was what a digest names, the oldest first. */
  readonly versions: ReadonlyMap<string, number>
}

interface FeedItem {
  /** As JSON. */
  readonly text: string
  /** The version in which it became so. */
  readonly since: number
}

/** What somebody has to be told who knows an earlier list, or none. */
export interface FeedChange {
  readonly isWhole: boolean
  /** As JSON. */
  readonly items: readonly string[]
  readonly gone: readonly string[]
}

/** Things by id, each as JSON. */
export type FeedItems = ReadonlyMap<string, string>

/** Names what a list holds. */
export type DigestOf = (items: FeedItems) => string

/** Whoever is further behind is told all of the list. */
const mostVersions = 1_000
const mostGone = 5_000

export function beginFeed(items: FeedItems, digestOf: DigestOf): FeedState {
  const digest = digestOf(items)
  return {
    digest,
    version: 1,
    gone: new Map(),
    items: new Map([...items].map(([id, text]) => [id, { text, since: 1 }])),
    versions: new Map([[digest, 1]]),
  }
}

/** The feed after the list was read once more; the same one where nothing has changed. */
export function takeItems(feed: FeedState, items: FeedItems, digestOf: DigestOf): FeedState {
  const left = [...feed.items.keys()].filter((id) => !items.has(id))
  const isSame = left.length === 0 && [...items].every(([id, text]) => feed.items.get(id)?.text === text)
  if (isSame) return feed
  const version = feed.version + 1
  const next = [...items].map(([id, text]): [string, FeedItem] => {
    const known = feed.items.get(id)
    return [id, known?.text === text ? known : { text, since: version }]
  })
  const gone = [...feed.gone, ...left.map((id): [string, number] => [id, version])].filter(
    ([id]) => !items.has(id),
  )
  const forgotten = gone.at(-(mostGone + 1))?.[1] ?? 0
  const digest = digestOf(items)
  const versions = [...feed.versions].filter(([each, of]) => each !== digest && of >= forgotten)
  return {
    digest,
    version,
    items: new Map(next),
    gone: new Map(gone.slice(-mostGone)),
    versions: new Map([...versions.slice(-(mostVersions - 1)), [digest, version]]),
  }
}

/**
 * What somebody has to be told who knows the list that the digest names; undefined where that is the list of now. Where
 * it is not remembered they are told all of it.
 */
export function changesSince(feed: FeedState, digest: string | undefined): FeedChange | undefined {
  if (digest === feed.digest) return undefined
  const version = digest === undefined ? undefined : feed.versions.get(digest)
  const since = version ?? 0
  return {
    isWhole: version === undefined,
    items: [...feed.items.values()].filter((item) => item.since > since).map(({ text }) => text),
    gone: version === undefined ? [] : [...feed.gone].filter(([, of]) => of > since).map(([id]) => id),
  }
}
