const sentences: Readonly<Record<string, string>> = {
  'not-selected': 'the filter leaves them out',
  'over-the-limit': 'more than you asked for',
  'origin-unknown': 'the queue they failed in is unknown',
  'origin-foreign': 'they name a queue that is not known to dead-letter here',
  'type-unknown': 'their type has no route',
  'no-wait-queue': 'their queue has no wait queue',
  'target-refused': 'their target cannot be used',
  'too-large': 'too large for the broker',
  unreadable: 'cannot be read',
  'came-back': 'came back from their target',
  'dead-again': 'died again',
  stopped: 'it was stopped before them',
}

/** Why messages stay, in words; what a newer server says is shown as it is. */
export function sayKeepReason(reason: string): string {
  return sentences[reason] ?? reason
}
