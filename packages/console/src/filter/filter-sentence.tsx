import type { ReactNode } from 'react'
import { sayFilter } from './say-filter.ts'

/** Which messages are meant, as a sentence, with the filter as it is written on hover. */
export function FilterSentence({
  where,
  causes = [],
}: {
  readonly where: string | undefined
  readonly causes?: readonly { readonly id: string; readonly label: string }[] | undefined
}): ReactNode {
  const said = sayFilter(where, (id) => causes.find((cause) => cause.id === id)?.label)
  if (said === undefined) return 'All messages of the queue.'
  return (
    <span className="foreign" title={where}>
      Messages {said}.
    </span>
  )
}
