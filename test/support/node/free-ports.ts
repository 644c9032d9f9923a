import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below the range from which Linux and macOS take the ports of outgoing connections, so that a port that
// was free a moment ago is not taken by a client of some other test before the broker listens on it.
// A broker listens some seconds after it was given its ports: the proxies of another process keep out of its range.
const ranges = { server: { from: 20_000, to: 28_000 }, proxy: { from: 28_000, to: 32_000 } }

const handedOut = new Set<number>()

/** Gives `count` TCP ports that nobody listens on, each only once in the life of this process. */
export async function takeFreePorts(
  count: number,
  { of = 'server' }: { of?: keyof typeof ranges } = {},
): Promise<number[]> {
  const { from, to } = ranges[of]
  const ports: number[] = []
  while (ports.length < count) {
    const port = randomInt(from, to)
    if (handedOut.has(port)) continue
    handedOut.add(port)
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
