import { text } from 'node:stream/consumers'
import type { InjectOptions } from 'fastify'
import type { ApiRig } from './api-rig.ts'
import type { AnyEndpoint } from './fitting-request.ts'

/** What was answered, and nothing of what a stream has told. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** Asks for what may be a stream, and leaves it again once it is let in: some come to no end. */
export async function askAndLeave({ app }: Pick<ApiRig, 'app'>, request: InjectOptions): Promise<Answer> {
  const answer = await app.inject({ ...request, payloadAsStream: true })
  const { statusCode: status, headers } = answer
  if (status >= 400) return { status, headers, body: await text(answer.stream()) }
  answer.raw.res.destroy()
  return { status, headers, body: '' }
}

/** Asks for what may be a stream or not. */
export async function askFor(
  rig: Pick<ApiRig, 'app'>,
  { mediaType }: Pick<AnyEndpoint, 'mediaType'>,
  request: InjectOptions,
): Promise<Answer> {
  if (mediaType === 'text/event-stream') return askAndLeave(rig, request)
  const { statusCode: status, headers, body } = await rig.app.inject(request)
  return { status, headers, body }
}
