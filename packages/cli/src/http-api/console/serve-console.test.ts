import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import createFastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveConsole } from './serve-console.ts'

const script = 'console.log("Warren")'
const part = '/console/assets/index-1.js'
const outside = 'what no browser is to see'

async function setup(): Promise<FastifyInstance> {
  const above = mkdtempSync(join(tmpdir(), 'warren-console-'))
  onTestFinished(() => rmSync(above, { recursive: true, force: true }))
  const assets = join(above, 'console', 'assets')
  mkdirSync(assets, { recursive: true })
  writeFileSync(join(above, 'main.js'), outside)
  writeFileSync(join(above, 'console', 'index.html'), '<html><head></head></html>')
  writeFileSync(join(assets, 'index-1.js'), script)
  writeFileSync(join(assets, 'index-1.js.br'), brotliCompressSync(script))
  writeFileSync(join(assets, 'index-1.js.gz'), gzipSync(script))
  const app = createFastify({ exposeHeadRoutes: true })
  onTestFinished(() => app.close())
  await serveConsole(app, join(above, 'console'))
  return app
}

it('the page may load from its own origin alone, and runs no script and no style that stands in it', async () => {
  const app = await setup()

  const { headers } = await app.inject({ url: '/console/queues/a.dlq' })

  const policy = String(headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
})

describe('a part of the console', () => {
  it.each(['br', 'gzip', 'identity'])(
    'is kept apart from its other codings by caches: %s',
    async (coding) => {
      const app = await setup()
      const ask = (more: InjectOptions = {}) =>
        app.inject({ url: part, ...more, headers: { 'accept-encoding': coding, ...more.headers } })

      const whole = await ask()
      const head = await ask({ method: 'HEAD' })
      const known = await ask({ headers: { 'if-none-match': String(whole.headers.etag) } })

      expect(whole.headers['content-encoding'] ?? 'identity').toBe(coding)
      expect([whole.statusCode, head.statusCode, known.statusCode]).toEqual([200, 200, 304])
      const varies = [whole, head, known].map(({ headers }) => headers.vary)
      expect(varies).toEqual(['accept-encoding', 'accept-encoding', 'accept-encoding'])
      expect(head.body).toBe('')
    },
  )

  it('can be had by ranges', async () => {
    const app = await setup()
    const ask = (range: string) => app.inject({ url: part, headers: { range } })

    const some = await ask('bytes=0-6')
    const tooFar = await ask('bytes=999-')

    expect([some.statusCode, some.body]).toEqual([206, 'console'])
    expect(tooFar.statusCode).toBe(416)
  })
})

it.each(
  [
    ...['/console/assets/../../main.js', '/console/assets/%2e%2e/%2e%2e/main.js'],
    ...['/console/assets/..%2f..%2fmain.js', '/console/assets/..%5c..%5cmain.js', '/console/assets//main.js'],
    ...[
      '/console/assets/%00',
      '/console/assets/index-1.js%00',
      '/console/assets/',
      '/console/assets/none.js',
    ],
    ...[`/console/assets/${'a'.repeat(5_000)}`, `/console/assets/${'a/'.repeat(3_000)}`],
  ].map((url) => [url.slice(0, 60), url] as const),
)('no other file is served: %s', async (_, url) => {
  const app = await setup()

  const { statusCode, body } = await askAsWritten(app, url)

  expect([400, 403, 404]).toContain(statusCode)
  expect(body).not.toContain(outside)
})

it.each(['/console/../main.js', '/console/%2e%2e/main.js', '/console/"><script>', '/console/tasks'])(
  'every other address below the console is its page, and of the address nothing is in it: %s',
  async (url) => {
    const app = await setup()

    const { statusCode, headers, body } = await askAsWritten(app, url)

    expect(statusCode).toBe(200)
    expect(headers['content-security-policy']).toContain("script-src 'self';")
    expect(body).toMatch(/^<html><head>\s*<base href="(\.\/|(\.\.\/)+)" \/><\/head><\/html>$/)
  },
)

/** Over a socket: what is injected has its `..` resolved first, as browsers do it and attackers do not. */
async function askAsWritten(app: FastifyInstance, path: string) {
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const [answer] = (await once(get({ host: '127.0.0.1', port, path }), 'response')) as [IncomingMessage]
  const { statusCode, headers } = answer
  return { statusCode, headers, body: await text(answer) }
}
