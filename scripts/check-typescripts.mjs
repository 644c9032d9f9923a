// Checks a typed service against the packed library with every TypeScript that users may have, the oldest that is
// supported among them: what one compiler infers, another may not. The compilers come from the registry.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packPackage } from './pack-package.mjs'

const versions = ['5.5.4', '5.7.3', '5.9.3', '6.0.3', '7.0.2']

/** Right code, and wrong code that every compiler has to find: an unused `@ts-expect-error` is an error itself. */
const service = `
import { connect, defineMessages, defineTopology, unchecked, type BodyToPublish, type WarrenOf } from 'warrenmq'
import { z } from 'zod'

const messages = defineMessages({
  Placed: { exchange: 'shop', key: 'order.placed', schema: z.object({ id: z.number(), at: z.string().transform(Number) }) },
  Paid: { exchange: 'shop', key: 'payment.done.eu', schema: unchecked<{ cents: bigint }>() },
  Everybody: { exchange: 'news', schema: z.string() },
  Task: { exchange: '', key: 'tasks', schema: z.array(z.string()) },
  Strange: { exchange: 'shop', key: 'stock.counted' },
})
type Messages = typeof messages

export const topology = defineTopology({
  exchanges: { shop: { type: 'topic' }, news: { type: 'fanout' } },
  queues: {
    billing: { bind: [{ exchange: 'shop', key: 'order.*' }, { exchange: 'shop', key: 'payment.#' }], retry: { delays: ['5s'], maxAttempts: 2 } },
    readers: { bind: [{ exchange: 'news' }], retry: false },
    tasks: { retry: false },
    idle: { bind: [{ exchange: 'shop', key: 'nothing' }] },
  },
  messages,
})

export async function start(url: string): Promise<WarrenOf<typeof topology>> {
  const warren = await connect(url, { topology })
  await warren.consume('billing', {
    Placed: ({ body }) => console.log(body.id.toFixed(), body.at.toFixed()),
    Paid: async ({ body }) => console.log(body.cents > 1n),
  })
  await warren.consume('readers', { Everybody: ({ body }) => console.log(body.length) })
  await warren.consume('tasks', { Task: ({ body }) => console.log(body[0]?.length) })
  await warren.publish('Placed', { id: 1, at: '5' })
  // @ts-expect-error the schema takes text
  await warren.publish('Placed', { id: 1, at: 5 })
  // @ts-expect-error there is no such message
  await warren.publish('Plaecd', { id: 1, at: '5' })
  // @ts-expect-error stock is not routed to billing
  await warren.consume('billing', { Strange: () => undefined })
  // @ts-expect-error nothing is routed there
  await warren.consume('idle', { Placed: () => undefined })
  // @ts-expect-error the field is called id
  await warren.consume('billing', { Placed: ({ body }) => console.log(body.ID) })
  // @ts-expect-error a number is no outcome
  await warren.consume('billing', { Placed: () => 3 })
  return warren
}

export function send<Name extends keyof Messages & string>(
  warren: WarrenOf<typeof topology>,
  name: Name,
  body: BodyToPublish<Messages[Name]>,
) {
  return warren.publish(name, body)
}
`

const compilerOptions = {
  target: 'es2022',
  lib: ['es2023'],
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  declaration: true,
  outDir: 'out',
  types: ['node'],
  skipLibCheck: true,
}

const directory = mkdtempSync(join(tmpdir(), 'warrenmq-typescripts-'))
try {
  const { tarball } = packPackage('packages/warrenmq', directory)
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  writeFileSync(join(directory, 'service.ts'), service)
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['service.ts'] }))
  const compilers = versions.map((version) => `typescript-${version}@npm:typescript@${version}`)
  run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    tarball,
    'zod@4.6.7',
    '@types/node@20.19.43',
    ...compilers,
  ])
  for (const version of versions) {
    run(process.execPath, [`node_modules/typescript-${version}/bin/tsc`])
    refuseLongTypes(version)
    console.log(`TypeScript ${version}: the typed service compiles, and its mistakes are found`)
  }
} catch (error) {
  // The tool has said on the terminal what it found.
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** Declarations name what each queue gets, not how it is worked out: that has all messages in it, for each queue. */
function refuseLongTypes(version) {
  const declared = readFileSync(join(directory, 'out/service.d.ts'), 'utf8')
  if (declared.includes('RoutedMessages') || !/billing: "(Paid|Placed)" \| "(Paid|Placed)"/.test(declared))
    throw new Error(`TypeScript ${version} declares the topology as: ${declared}`)
}

function run(program, args) {
  execFileSync(program, args, { cwd: directory, stdio: 'inherit' })
}
