import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A management API that remembers what it was asked, and has another one answer. It ends with the test. */
export async function listenIn(managementUrl: string): Promise<{ url: string; asked: string[] }> {
  const { hostname, port, username, password } = new URL(managementUrl)
  const asked: string[] = []
  const server = createServer((incoming, outgoing) => {
    asked.push(incoming.url!)
    const { url: path, method, headers: sent } = incoming
    // Over a connection of its own: one that was kept may have been closed just now, and whoever asks would be told so.
    const onward = request({ host: hostname, port, path, method, headers: sent, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward.on('error', () => outgoing.destroy()))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port: own } = server.address() as AddressInfo
  return { url: `http://${username}:${password}@127.0.0.1:${own}`, asked }
}
