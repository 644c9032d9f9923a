import { redriveTag } from '../../message/holding-tags.ts'

/** The first consumer of a re-drive has this tag, so that it can be found at the broker. */
export function consumerTagOf(redriveId: string): string {
  return `${redriveTag}-${redriveId}`
}
