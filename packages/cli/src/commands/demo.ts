import { type Command, CommanderError } from 'commander'
import { onSignals, parseAmqpUrl } from 'warrenmq/operations'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { keepShopOpen } from '../demo/keep-shop-open.ts'
import { openStage } from '../demo/open-stage.ts'
import { startPlay } from '../demo/play.ts'
import { tellStory } from '../demo/tell-story.ts'
import { addYesOption, confirm, refuseUnasked } from '../options/confirm.ts'
import { addConsoleOptions } from '../options/console-options.ts'
import type { Terminal } from '../output/terminal.ts'
import { serveConsoleHere } from '../serve-console-here.ts'

/** `warren demo`: a thousand orders through three failing services, and none is lost. */
export const demo: CliCommand = {
  name: 'demo',
  summary:
    'see everything at work on a broker inside this process; ends by itself, or with --console by Ctrl-C',
  example: 'warren demo',
  configure: addOptions,
  run: async (input, terminal) => {
    if (input.options.console === true) return playInConsole(input, terminal)
    if (!(await mayPlay(input, terminal))) {
      terminal.say('Nothing was created. `AMQP_URL= warren demo` runs on a broker inside this process.')
      terminal.result({ outcome: 'declined' })
      return 0
    }
    const tasks: (() => Promise<unknown>)[] = []
    const stage = await openStage(input)
    let stopListening = (): void => {}
    const interrupted = new Promise<undefined>((resolve) => {
      stopListening = onSignals(['SIGINT', 'SIGTERM'], () => resolve(undefined))
    })
    try {
      const story = tellStory(startPlay({ stage, terminal, atEnd: (task) => tasks.unshift(task) }))
      story.catch(() => {}) // after an interruption its end is nobody's business any more
      const report = await Promise.race([story, interrupted])
      if (report === undefined) {
        terminal.say('Interrupted. Removing what the demo created on the broker.')
        return 1
      }
      terminal.result(report)
      return report.addsUp ? 0 : 1
    } finally {
      for (const task of tasks) {
        await task().catch((error: unknown) => {
          terminal.say(`The demo left something on the broker: ${(error as Error).message}`)
        })
      }
      await stage.close()
      stopListening()
    }
  },
}

/** The shop stays open, and the visitor looks after it in the console. */
async function playInConsole(input: CommandInput, terminal: Terminal): Promise<ExitCode> {
  if (input.options.url !== undefined) {
    const usage =
      '--console runs on the broker inside this process; `warren console --url <url>` opens the console of yours'
    throw new CommanderError(2, 'warren.usage', usage)
  }
  const ended = new Promise<void>((resolve) => {
    onSignals(['SIGINT', 'SIGTERM'], () => resolve())
  })
  const tasks: (() => Promise<unknown>)[] = []
  const stage = await openStage({ ...input, env: {} })
  try {
    const play = startPlay({ stage, terminal, atEnd: (task) => tasks.unshift(task) })
    play.chapter('A shop of three services, and a bad day')
    const { shop, controls } = await keepShopOpen(play)
    const management = (await stage.findManagement(shop.names.payments))!
    const { consuming, publishing } = stage
    play.chapter('The console')
    const served = await serveConsoleHere({
      broker: { consuming, publishing, management, vhost: consuming.vhost, topology: shop.topology },
      credentials: { username: 'guest', password: 'guest' },
      input,
      terminal,
      demo: controls,
    })
    tasks.unshift(served.close)
    await ended
  } finally {
    for (const task of tasks) await task()
    await stage.close()
  }
  return 0
}

/** A variable may stand there for another purpose, and name a broker that others work with; an option was typed. */
async function mayPlay({ options, env }: CommandInput, terminal: Terminal): Promise<boolean> {
  if (options.url !== undefined || !env.AMQP_URL) return true
  const { host, port } = parseAmqpUrl(env.AMQP_URL)[0]!
  const place = `the broker at ${host}:${port} (AMQP_URL)`
  refuseUnasked(`Nothing was created on ${place}`, { options, terminal })
  const question = `Run the demo on ${place}? It creates queues of its own there and deletes them at the end.`
  return (await confirm(question, { options, terminal })) === 'yes'
}

function addOptions(command: Command): void {
  command
    .option(
      '--url <url>',
      'your RabbitMQ (also AMQP_URL); the demo uses names of its own and deletes them at the end',
    )
    .option(
      '--management-url <url>',
      'its HTTP API (also MANAGEMENT_URL; default: the host of --url, port 15672)',
    )
    .option('--vhost <name>', 'the vhost (default: the path of --url, or /)')
    .option('--console', 'keep the shop open and look after it in the console')
  addConsoleOptions(command)
  addYesOption(command)
}
