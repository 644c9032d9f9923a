import { open } from 'node:fs/promises'
import type { FastifyReply } from 'fastify'
import { ApiError } from 'warrenmq/operations'
import { cutStalled } from '../guards/cut-stalled.ts'
import { refuseWithoutClient } from '../guards/refuse-without-broker.ts'

/** Sends a backup as a download. Resolves when it is sent, or the connection is gone. */
export async function sendBackup(
  reply: FastifyReply,
  { file, name }: { readonly file: string; readonly name: string },
): Promise<void> {
  refuseWithoutClient(reply)
  // Open from now on: whoever reads it gets all of it, also where it is deleted meanwhile.
  const handle = await open(file).catch(notThere)
  const { size } = await handle.stat()
  cutStalled(reply.raw)
  const plain = name.replaceAll(/[^\w.-]/g, '_')
  await reply
    .type('application/gzip')
    .header('content-length', size)
    .header('cache-control', 'no-store')
    .header(
      'content-disposition',
      `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`,
    )
    .send(handle.createReadStream())
}

function notThere(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error
  throw new ApiError({ code: 'API_NOT_FOUND', message: 'The backup was just deleted.' }, { cause: error })
}
