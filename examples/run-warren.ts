import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ExampleBroker } from './open-broker.ts'

const packageFile = createRequire(import.meta.url).resolve('@warrenmq/cli/package.json')
const main = join(dirname(packageFile), 'dist/main.js')

export interface WarrenRun {
  readonly broker: ExampleBroker
  /** Where its warren.config.ts is. */
  readonly folder: string
  readonly args: readonly string[]
}

/** Runs `warren` as an operator would, and shows the command and what it says. Gives 0, or 3: not everything. */
export async function runWarren(run: WarrenRun): Promise<number> {
  console.log(`$ warren ${run.args.map(quote).join(' ')}`)
  const { exitCode, stdout, stderr } = await execute(run)
  process.stdout.write(stdout + stderr)
  if (exitCode === 1 || exitCode === 2) throw new Error(`warren ended with exit code ${exitCode}.`)
  return exitCode
}

/** Runs `warren … --json` and gives its document. */
export async function askWarren<Document>(run: WarrenRun): Promise<Document> {
  const { stdout, stderr } = await execute({ ...run, args: [...run.args, '--json'] })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Document
}

/** A dead letter as `warren dlq peek --json` tells it; only what the examples look at. */
export interface PeekedQueue {
  readonly present: number
  readonly messages: readonly { readonly id: string; readonly headers: Readonly<Record<string, unknown>> }[]
}

function execute({
  broker,
  folder,
  args,
}: WarrenRun): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const { managementUrl } = broker.options
  const env = {
    ...process.env,
    AMQP_URL: broker.url,
    ...(managementUrl && { MANAGEMENT_URL: managementUrl }),
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      const failed = typeof error?.code === 'number' ? error.code : 1
      resolve({ exitCode: error ? failed : 0, stdout, stderr })
    })
  })
}

function quote(word: string): string {
  return word.includes(' ') ? `"${word}"` : word
}
