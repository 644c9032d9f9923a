import type { Caller } from '../auth/caller.ts'
import { permissionsOfCaller } from '../auth/decide-role.ts'
import type { ServerSettings } from '../read-server-section.ts'

/** What of payloads is shown. */
export interface PayloadRules {
  /** The caller may see bodies. */
  readonly isShown: boolean
  /** Nobody sees what stands there. */
  readonly maskedPaths: readonly string[]
}

/** Nothing of a payload is kept from the caller. */
export function showsAll({ isShown, maskedPaths }: PayloadRules): boolean {
  return isShown && maskedPaths.length === 0
}

export function payloadRulesFor(
  caller: Pick<Caller, 'role' | 'isReadUnknown'>,
  settings: Pick<ServerSettings, 'hidePayloadsFrom' | 'maskedPaths'>,
): PayloadRules {
  const { maskedPaths } = settings
  return { isShown: permissionsOfCaller(caller, settings).includes('payload:read'), maskedPaths }
}
