import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { Option } from 'commander'
import {
  ConfigError,
  type LiveTopology,
  layoutNames,
  layouts,
  observeTopology,
  type QueueRole,
  readDefinitions,
  type TopologyDeclaration,
} from 'warrenmq/operations'
import { stringify } from 'yaml'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { type Adoption, adoptTopology } from '../config/adopt-topology.ts'
import { isTooDeep, tooDeep } from '../config/is-too-deep.ts'
import type { RascalNote } from '../config/rascal/rascal-notes.ts'
import { readRascal } from '../config/rascal/read-rascal.ts'
import { starterTopologies } from '../config/starter-topologies.ts'
import { addBrokerOptions, readBrokerOptions } from '../options/broker-options.ts'
import { addYesOption } from '../options/confirm.ts'
import { writeText } from '../options/output-options.ts'
import { reasonOf } from '../output/reason-of.ts'
import { renderConfigModule } from '../output/render-config.ts'
import type { Terminal } from '../output/terminal.ts'
import { withManagement } from '../with-management.ts'

const schemaPath = './node_modules/warrenmq/schema/topology.schema.json'

/** Writes a config: a starter for a layout, or what stands on a broker or in a definitions.json. */
export const init: CliCommand = {
  name: 'init',
  summary: 'write a starter config for a layout, or a config from what exists',
  example: 'warren init --from-definitions definitions.json --config warren.config.yaml',
  configure: (command) => {
    command
      .option(
        '--config <file>',
        'the file to write; its extension (.ts, .js, .mjs, .json, .yaml) sets the format',
        'warren.config.ts',
      )
      .addOption(
        new Option('--layout <name>', 'the layout of the starter config (default: warren)').choices(
          layoutNames,
        ),
      )
      .addOption(
        new Option('--from-broker', 'write a config for what exists on the broker').conflicts([
          'layout',
          'fromDefinitions',
        ]),
      )
      .addOption(
        new Option(
          '--from-definitions <file>',
          'write a config for the contents of a definitions.json',
        ).conflicts('layout'),
      )
      .addOption(
        new Option(
          '--from-rascal <file>',
          'write a config for what a rascal config (JSON) declares',
        ).conflicts(['layout', 'fromBroker', 'fromDefinitions']),
      )
    addBrokerOptions(command)
    addYesOption(command)
  },
  run: async (input, terminal) => {
    const { options } = input
    const file = options.config as string
    refuseToOverwrite(file, options)
    if (typeof options.fromRascal === 'string') return adoptRascal({ file, input, terminal })
    const live = await readExisting(input)
    if (live === undefined) return writeStarter({ file, input, terminal })
    const source = typeof options.fromDefinitions === 'string' ? 'definitions' : 'what existed on a broker'
    return writeAdopted({ file, adoption: adoptTopology(live), source, terminal })
  },
}

function refuseToOverwrite(file: string, options: CommandInput['options']): void {
  if (!existsSync(file) || options.yes === true) return
  throw new ConfigError({
    code: 'CONFIG_EXISTS',
    file,
    message: `${file} already exists. Name another file with --config, or use --yes to overwrite it.`,
  })
}

/** What stands on the broker or in a definitions.json, as --from-broker and --from-definitions say; undefined without. */
export async function readExisting(input: CommandInput): Promise<LiveTopology | undefined> {
  const { fromBroker, fromDefinitions, vhost } = input.options
  if (typeof fromDefinitions === 'string') {
    return readDefinitions(await readJson(fromDefinitions), typeof vhost === 'string' ? { vhost } : {})
  }
  if (fromBroker !== true) return undefined
  const address = readBrokerOptions(input)
  return withManagement(address, (management) =>
    observeTopology(management, { vhost: address.vhost, countsConsumers: true }),
  )
}

async function readJson(file: string): Promise<unknown> {
  let value: unknown
  try {
    value = JSON.parse(await readFile(file, 'utf8'))
  } catch (cause) {
    const message = `${file} cannot be read as JSON: ${reasonOf(cause)}`
    throw new ConfigError({ code: 'CONFIG_UNREADABLE', file, message }, { cause })
  }
  if (!isTooDeep(value)) return value
  throw new ConfigError({
    code: 'CONFIG_UNREADABLE',
    file,
    message: `${file} cannot be read: ${tooDeep}.`,
  })
}

/** What rascal would declare, and below it what only a program can do. */
async function adoptRascal({ file, input, terminal }: Starter): Promise<ExitCode> {
  const { fromRascal, vhost } = input.options
  const source = fromRascal as string
  const wanted = typeof vhost === 'string' ? vhost : undefined
  const { live, publications, notes } = readRascal(await readJson(source), { file: source, vhost: wanted })
  const adoption = adoptTopology(live, publications.length === 0 ? {} : { publications })
  return writeAdopted({ file, adoption, source: 'a rascal config', terminal, notes })
}

async function writeStarter({ file, input, terminal }: Starter): Promise<ExitCode> {
  const name = (input.options.layout as (typeof layoutNames)[number] | undefined) ?? 'warren'
  const comments = [layouts[name].summary, 'Other layouts: warren init --layout <name>.']
  await writeText(file, renderFile({ file, topology: starterTopologies[name], comments }))
  terminal.say(`Wrote ${file}, layout ${name}. Change it, then run \`warren check\` and \`warren plan\`.`)
  terminal.result({ file, layout: name })
  return 0
}

interface Starter {
  readonly file: string
  readonly input: CommandInput
  readonly terminal: Terminal
}

async function writeAdopted({
  file,
  adoption,
  source,
  terminal,
  notes = [],
}: {
  file: string
  adoption: Adoption
  /** Where it was read. */
  source: string
  terminal: Terminal
  /** What the source says and no topology can. */
  notes?: readonly RascalNote[]
}): Promise<ExitCode> {
  const { topology, queues, plainQueues, leftOut, mistakes, isSame } = adoption
  await writeText(file, renderFile({ file, topology, comments: adoptionNotes(adoption, source) }))
  const { say, paint } = terminal
  say(`Wrote ${file}: ${countQueues(topology)}.`)
  for (const { name, layout, isExact } of queues)
    say(`  ${name}: layout ${layout}${isExact ? ', exact' : ''}`)
  for (const name of plainQueues) say(`  ${name}: ${plainText(name, adoption)}`)
  for (const name of leftOut) say(paint('yellow', `  ${name}: left out, because RabbitMQ reserves its name`))
  for (const { path, problem } of mistakes) say(paint('red', `  ${path}: ${problem}`))
  if (mistakes.length > 0) say('Fix these before you use the config.')
  else if (isSame)
    say(paint('green', 'It matches what was read: a plan would be empty. Now run `warren check`.'))
  else say(paint('yellow', 'It does not cover everything that was read; `warren plan` shows the difference.'))
  sayNotes(notes, terminal)
  terminal.result({ file, ...adoption, ...(notes.length === 0 ? {} : { notes }) })
  const isAll = isSame && leftOut.length === 0 && notes.every(({ isMissing }) => !isMissing)
  return mistakes.length === 0 && isAll ? 0 : 3
}

function sayNotes(notes: readonly RascalNote[], { say, paint }: Terminal): void {
  if (notes.length > 0) say('Not part of a topology:')
  for (const { path, says, isMissing } of notes) {
    const line = `  ${path}: ${says}`
    say(isMissing ? paint('yellow', line) : line)
  }
}

/** A queue that follows no layout, by what it is there for. */
function plainText(name: string, { roles }: Adoption): string {
  const { role = 'work', owner = name } = roles.find((each) => each.name === name) ?? {}
  const asItIs = 'follows no layout, declared as it is'
  if (role !== 'work') {
    const of = owner === name ? '' : ` of ${owner}`
    return role === 'wait' ? `wait queue${of}, ${asItIs}` : `dead-letter queue${of}, ${asItIs}`
  }
  const own = (wanted: QueueRole) =>
    roles.filter((each) => each.role === wanted && each.owner === name).map((each) => each.name)
  const [waits, dead] = [own('wait'), own('dead-letter')]
  return [
    asItIs,
    ...(waits.length === 0 ? [] : [`waits in ${waits.join(', ')}`]),
    ...(dead.length === 0 ? [] : [`dead letters in ${dead.join(', ')}`]),
  ].join('; ')
}

function countQueues({ queues }: TopologyDeclaration): string {
  const count = Object.keys(queues).length
  return count === 1 ? 'one queue' : `${count} queues`
}

function adoptionNotes({ queues, plainQueues, roles }: Adoption, source: string): readonly string[] {
  const declared = queues.length + plainQueues.length
  const recognised = `${queues.length} of ${declared} queues follow a layout.`
  const isPlain = new Set(plainQueues)
  const count = (role: QueueRole) =>
    roles.filter((each) => isPlain.has(each.name) && each.role === role).length
  const others = `The others, as far as Warren can tell: work queues ${count('work')}, wait queues ${count('wait')}, dead-letter queues ${count('dead-letter')}.`
  return [
    `Written from ${source}; ${recognised}`,
    ...(plainQueues.length === 0 ? [] : [others, 'If that is wrong, give the queue a role.']),
  ]
}

function renderFile({ file, topology, comments }: Rendered): string {
  switch (extname(file)) {
    case '.ts':
    case '.js':
    case '.mjs':
      return renderConfigModule(topology, comments)
    case '.json':
      return `${JSON.stringify({ $schema: schemaPath, ...topology }, null, 2)}\n`
    case '.yaml':
    case '.yml':
      return [
        `# yaml-language-server: $schema=${schemaPath}`,
        ...comments.map((line) => `# ${line}`),
        stringify(topology),
      ].join('\n')
    default:
      throw new ConfigError({
        code: 'CONFIG_UNREADABLE',
        file,
        message: `${file} has no extension that sets the format; name it .ts, .js, .mjs, .json or .yaml.`,
      })
  }
}

interface Rendered {
  readonly file: string
  readonly topology: TopologyDeclaration
  readonly comments: readonly string[]
}
