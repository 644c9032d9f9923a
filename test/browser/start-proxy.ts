import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

/** A proxy in front of a server, or of several by turns, until the end of the test. */
export async function startProxy({
  to,
  path,
  strips,
}: {
  /** The server that answers now. */
  readonly to: () => string
  readonly path: string
  readonly strips: boolean
}): Promise<string> {
  const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { host: _, connection: __, ...headers } = request.headers
    const answer = await fetch(`${to()}${request.url!.slice(strips ? path.length : 0)}`, {
      method: request.method!,
      headers: headers as Record<string, string>,
      redirect: 'manual',
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const { 'content-encoding': ___, 'content-length': ____, ...passed } = Object.fromEntries(answer.headers)
    response.writeHead(answer.status, { ...passed, 'set-cookie': answer.headers.getSetCookie() })
    if (answer.body) for await (const chunk of answer.body) response.write(chunk)
    response.end()
  }
  const proxy: Server = createServer((request, response) => void passOn(request, response))
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const address = proxy.address() as { port: number }
  return `http://127.0.0.1:${address.port}${path}`
}
