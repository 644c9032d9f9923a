import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { ApiError, RecoveryError } from 'warrenmq/operations'

/** Writes what is sent to a file, piece by piece; more than `mostBytes` is refused. */
export async function receiveUpload(
  upload: Readable,
  { file, mostBytes }: { readonly file: string; readonly mostBytes: number },
): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch(notKept)
  let bytes = 0
  try {
    // Not destroyed on the way out: whoever sends too much is to read why, and not to find the connection cut.
    for await (const piece of upload.iterator({ destroyOnReturn: false })) {
      bytes += (piece as Buffer).length
      if (bytes > mostBytes) throw tooLarge(mostBytes)
      await handle.writeFile(piece as Buffer).catch(notKept)
    }
  } finally {
    await handle.close()
  }
}

/** Such as a disk that is full: nothing that who sends it could mend, and no mistake of ours. */
function notKept(cause: unknown): never {
  const message = `The upload cannot be written: ${(cause as Error).message}.`
  throw new RecoveryError({ code: 'BACKUP_NOT_WRITTEN', message }, { cause })
}

function tooLarge(mostBytes: number): ApiError {
  return new ApiError({
    code: 'API_TOO_LARGE',
    message: `The upload is larger than ${mostBytes} bytes. Restore it with \`warren dlq restore\`.`,
  })
}
