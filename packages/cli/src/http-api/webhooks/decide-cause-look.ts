/** What is known of a queue that is watched for new causes. */
export interface KnownDepth {
  /** How many messages it had when it was last looked at, or fewer since. */
  readonly messages: number
  /** When that look ended, and how long it took. */
  readonly endedAtMs: number
  readonly tookMs: number
}

/** A look reads the whole queue and keeps it from others, so it may take one part of so many of the time. */
const restsPerLook = 20

/** Whether a queue is to be looked at: what is new stands at its end, and nobody can begin there. */
export function decideCauseLook(
  known: KnownDepth | undefined,
  { messages, nowMs }: { readonly messages: number; readonly nowMs: number },
): 'look' | 'later' | 'nothing-new' {
  if (!known) return 'look'
  if (messages <= known.messages) return 'nothing-new'
  return nowMs - known.endedAtMs < known.tookMs * restsPerLook ? 'later' : 'look'
}
