/** Consumers that look have tags that begin with this. */
export const lookTag = 'warren-walk'

/** Consumers of re-drives have tags that begin with this. */
export const redriveTag = 'warren-redrive'

/**
 * Tells whether a consumer holds messages on purpose, until it moves them or gives them back. It is no handler, and
 * settles nothing until it has seen enough, so no clock may wait for it.
 */
export function isHoldingTag(consumerTag: string): boolean {
  return consumerTag.startsWith(lookTag) || consumerTag.startsWith(redriveTag)
}
