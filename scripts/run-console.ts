// `npm run console`: a shop whose orders fail, a server on its broker, and the console, which reloads as it is changed.
//   npm run console      log in as guest, guest
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openFailingShop } from '../test/browser/open-shop.ts'
import { serveShop } from '../test/browser/serve-shop.ts'

const backups = mkdtempSync(join(tmpdir(), 'warren-backups-'))
const shop = await openFailingShop()
await shop.killInThePast({ dlq: 'billing.payments.dlq', failedIn: 'billing.payments', count: 3_000 })
await shop.placeOrders(500)
const server = await serveShop(shop, { server: { approval: { above: 400 }, backups: { folder: backups } } })
const more = setInterval(() => void shop.placeOrders(3), 5_000)
// In a process of its own: what lets this one read TypeScript is in the way of the style's compiler.
const pages = spawn(process.execPath, [resolve('node_modules/vite/bin/vite.js')], {
  cwd: 'packages/console',
  stdio: 'inherit',
  env: { ...process.env, WARREN_SERVER: server.url },
})
console.log(`  The built console is at ${server.url}/console/. The account is guest, its password guest.`)

process.once('SIGINT', () => void end())

async function end(): Promise<void> {
  clearInterval(more)
  pages.kill()
  await server.stop()
  await shop.close()
  rmSync(backups, { recursive: true, force: true })
}
