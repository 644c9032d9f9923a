import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { FastifyReply } from 'fastify'
import { cutStalled } from '../cut-stalled.ts'

/** Sends a backup as a download. Resolves when it is sent, or the line is gone. */
export async function sendBackup(
  reply: FastifyReply,
  { file, name }: { readonly file: string; readonly name: string },
): Promise<void> {
  const { size } = await stat(file)
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
    .send(createReadStream(file))
}
