import {
  ApiError,
  type Filter,
  type FilterField,
  type GroupField,
  parseFilter,
  recoveryHeaders,
} from 'warrenmq/operations'
import type { Caller } from '../auth/caller.ts'
import type { ServerSettings } from '../read-server-section.ts'
import { payloadRulesFor, showsAll } from '../show/payload-rules.ts'

/** A filter must not tell what a caller is not shown: whoever may ask "is it 1?", "is it 2?" reads it all. */
export function refuseHiddenFields(
  filter: Filter,
  {
    caller,
    settings,
  }: { caller: Caller; settings: Pick<ServerSettings, 'hidePayloadsFrom' | 'maskedPaths'> },
): void {
  if (showsAll(payloadRulesFor(caller, settings)) || !asksForBody(filter)) return
  throw new ApiError({
    code: 'API_FORBIDDEN',
    message: 'Payloads are hidden here, so a filter cannot use the body or plain words.',
  })
}

/** The same of a filter as it was written. */
export function refuseHiddenFilter(
  where: string | undefined,
  who: Parameters<typeof refuseHiddenFields>[1],
): void {
  if (where !== undefined) refuseHiddenFields(parseFilter(where), who)
}

/** The same of fields that messages are grouped by: each group shows what they have there. */
export function refuseHiddenGroups(
  groupBy: readonly GroupField[],
  { caller, settings }: Parameters<typeof refuseHiddenFields>[1],
): void {
  if (showsAll(payloadRulesFor(caller, settings)) || !groupBy.some(({ field }) => isHidden(field))) return
  throw new ApiError({
    code: 'API_FORBIDDEN',
    message: 'Payloads are hidden here, so messages cannot be grouped by the body.',
  })
}

/** Whether a filter names what stands in bodies. */
export function asksForPayload(where: string): boolean {
  return asksForBody(parseFilter(where))
}

/** The header that holds the body of before an edit. */
function isPrevious(field: FilterField): boolean {
  return field.kind === 'header' && field.name.toLowerCase() === recoveryHeaders.previous
}

function asksForBody(filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.some(asksForBody)
    case 'not':
      return asksForBody(filter.part)
    case 'text':
      return true
    case 'compare':
      return isHidden(filter.field)
  }
}

function isHidden(field: FilterField): boolean {
  return field.kind === 'body' || isPrevious(field)
}
