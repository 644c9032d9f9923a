import type { FastifyReply } from 'fastify'
import type { Once, OnceRequest } from './once.ts'

/** Whoever sends a request again gets what the first one got, and is told so; null where that has no body. */
export async function giveOnce<Result>(
  { once }: { readonly once: Pick<Once, 'answer'> },
  { onceKey, reply, run }: { onceKey: OnceRequest; reply: FastifyReply; run: () => Promise<Result> },
): Promise<Result> {
  const { answer, isFirst } = await once.answer(onceKey, async () => {
    const body = (await run()) ?? null
    return { status: reply.statusCode, location: reply.getHeader('location')?.toString() ?? null, body }
  })
  if (!isFirst) {
    reply.code(answer.status).header('idempotent-replayed', 'true')
    if (answer.location !== null) reply.header('location', answer.location)
  }
  return answer.body as Result
}
