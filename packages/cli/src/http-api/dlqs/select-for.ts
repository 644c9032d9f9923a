import { type IncomingMessage, messageFilter, parseFilter } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { refuseHiddenFields } from '../guards/refuse-hidden-fields.ts'

/** What a filter selects; undefined for all. Throws where it asks for what the caller is not shown. */
export function selectFor(
  { settings }: Pick<ApiContext, 'settings'>,
  caller: Caller,
  where: string | undefined,
): ((message: IncomingMessage) => boolean) | undefined {
  if (where === undefined) return undefined
  const filter = parseFilter(where)
  refuseHiddenFields(filter, { caller, settings })
  return messageFilter(filter, Date.now())
}
