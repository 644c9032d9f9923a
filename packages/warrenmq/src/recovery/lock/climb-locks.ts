/** What can be done about one of the names that a lock goes by; each is one step at the broker. */
export interface LockSteps {
  /** `mine`: nobody else can have the name until it is dropped or the connection ends. */
  take(name: string): Promise<'mine' | 'taken'>
  /** The node of its holder is gone and the holder with it, but the broker keeps the name for them. */
  isOrphan(name: string): Promise<boolean>
  drop(name: string): Promise<void>
}

export type Climbed =
  | { readonly kind: 'held'; readonly name: string }
  /** Somebody else has the lock, under this name. */
  | { readonly kind: 'locked'; readonly name: string }

/**
 * Takes a lock. If a name is orphaned, the next name follows it. Whoever has a name looks at all others before it
 * counts as the holder: if two got one each, the later one finds the earlier one, so there are never two holders.
 */
export async function climbLocks(names: readonly string[], steps: LockSteps): Promise<Climbed> {
  const mine = await takeLowest(names, steps)
  if (mine.kind === 'locked') return mine
  // From the lowest up: a holder that is in our way is found before any name above it is touched.
  const rival = await findRival(
    names.filter((name) => name !== mine.name),
    steps,
  )
  if (rival === undefined) return mine
  await steps.drop(mine.name)
  return { kind: 'locked', name: rival }
}

/** The holder of one of these names that is not gone; undefined if there is none. */
export async function findRival(names: readonly string[], steps: LockSteps): Promise<string | undefined> {
  for (const name of names) {
    if ((await steps.take(name)) === 'mine') await steps.drop(name)
    else if (!(await steps.isOrphan(name))) return name
  }
  return undefined
}

async function takeLowest(names: readonly string[], steps: LockSteps): Promise<Climbed> {
  for (const name of names) {
    if ((await steps.take(name)) === 'mine') return { kind: 'held', name }
    if (!(await steps.isOrphan(name))) return { kind: 'locked', name }
  }
  return { kind: 'locked', name: names.at(-1)! }
}
