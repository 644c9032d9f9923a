import { RecoveryError } from '../../errors.ts'

/** Why a re-drive ended before it had taken a message: there is nothing to write a receipt about. */
export function nothingBegun(
  queue: string,
  { isLocked = false }: { readonly isLocked?: boolean } = {},
): RecoveryError {
  if (isLocked)
    return new RecoveryError({
      code: 'RECOVERY_LOCKED',
      message: `The re-drive of "${queue}" lost its connection before it had begun, and now somebody else is working on the queue. Nothing was moved. Wait until that is done, or stop it there.`,
    })
  return new RecoveryError({
    code: 'RECOVERY_INTERRUPTED',
    message: `The re-drive of "${queue}" was ended while it waited for the broker, before it had begun. Nothing was moved.`,
  })
}
