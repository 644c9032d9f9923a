export interface ServerEvent {
  readonly id: string
  readonly name: string
  readonly data: string
}

/** The events of a stream, as they come. */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader()
  // A list of ten thousand queues comes in many parts: they are joined once, when its end is there.
  let parts: string[] = []
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const isCutInEnd = value.startsWith('\n') && (parts.at(-1)?.endsWith('\n') ?? false)
      if (value !== '') parts.push(value)
      if (!isCutInEnd && !value.includes('\n\n')) continue
      const blocks = parts.join('').split('\n\n')
      parts = [blocks.pop() ?? '']
      for (const block of blocks) {
        const event = readEvent(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** One without data is a comment that keeps the connection open. */
export function readEvent(block: string): ServerEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()]
    }),
  )
  const data = fields.get('data')
  if (data === undefined) return undefined
  return { id: fields.get('id') ?? '', name: fields.get('event') ?? 'message', data }
}
