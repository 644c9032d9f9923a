import { Option } from 'commander'
import { InvalidArgumentError } from 'warrenmq'
import {
  type CompiledTopology,
  ConfigError,
  compileTopology,
  type Hardening,
  type LivePolicy,
  listHardening,
  type Proof,
  proveTopology,
  readRecoverySection,
  renderProof,
  type TopologyDeclaration,
} from 'warrenmq/operations'
import type { CliCommand } from '../command.ts'
import { loadConfig } from '../config/load-config.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import { addConfigOption, newestBrokerVersion, readBrokerVersion } from '../options/config-options.ts'
import { paintLines, proofStyles } from '../output/paint-lines.ts'
import type { Terminal } from '../output/terminal.ts'
import { readExisting } from './init.ts'

/** Proves the topology without a broker, for each version that is named. */
export const check: CliCommand = {
  name: 'check',
  summary: 'prove that no path of the topology loses, loops or duplicates messages; needs no broker',
  example: 'warren check --broker-version 3.10 --broker-version 4.0.5',
  configure: (command) => {
    addConfigOption(command)
    command
      .option(
        '--broker-version <version>',
        `the RabbitMQ version to prove it for; can be repeated (default: ${newestBrokerVersion})`,
        (text: string, before: readonly string[] = []) => [...before, readBrokerVersion(text)],
      )
      .addOption(
        new Option(
          '--from-broker',
          'prove it for the version of the live broker, with its policies',
        ).conflicts('fromDefinitions'),
      )
      .option('--from-definitions <file>', 'prove it with the policies of a definitions.json')
    addBrokerOptions(command)
  },
  run: async (input, terminal) => {
    const { options } = input
    const { file, topology } = await loadConfig(options)
    await checkSections(file, topology)
    const live = await readExisting(input)
    const known = options.fromBroker === true ? live?.brokerVersion.text : undefined
    const versions = (options.brokerVersion as readonly string[] | undefined) ?? [
      known ?? newestBrokerVersion,
    ]
    const proofs = versions.map((version) => prove({ topology, version, policies: live?.policies }))
    for (const each of proofs) sayProof(each, terminal)

    const isProved = proofs.every(({ proof }) => proof.isProved)
    terminal.result({
      file,
      isProved,
      proofs: proofs.map(({ proof, hardening }) => ({ ...proof, hardening })),
    })
    return isProved ? 0 : 1
  },
}

/** What `serve` and `recover` would refuse. */
async function checkSections(file: string, { server, recovery }: TopologyDeclaration): Promise<void> {
  const { readServerSection, checkServerShape } = await import('../http-api/read-server-section.ts')
  const mistakes = [
    mistakeOf(() => recovery && readRecoverySection(recovery)),
    mistakeOf(() => {
      if (!server) return
      checkServerShape(server)
      readServerSection(withoutSecrets(server))
    }),
  ].filter((mistake) => mistake !== undefined)
  const [cause] = mistakes
  if (cause === undefined) return
  const message = `${file} cannot be used: ${mistakes.map((mistake) => mistake.message).join('\n')}`
  throw new ConfigError({ code: 'CONFIG_INVALID', file, message }, { cause })
}

/** Variables and files with secrets are where the server runs, and need not be here. */
function withoutSecrets(server: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { auth } = server as { auth?: { oidc?: object } | string }
  const oidc = typeof auth === 'object' && auth.oidc && { ...auth.oidc, clientSecretFile: undefined }
  return {
    ...server,
    webhooks: undefined,
    keyFile: undefined,
    ...(oidc && { auth: { ...(auth as object), oidc } }),
  }
}

function mistakeOf(read: () => unknown): InvalidArgumentError | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error
    throw error
  }
}

interface Proved {
  readonly proof: Proof
  readonly hardening: readonly Hardening[]
}

function prove({ topology, version, policies }: ToProve): Proved {
  const compiled = compileTopology(topology, { brokerVersion: version })
  const proof = proveTopology(policies === undefined ? compiled : { ...compiled, policies })
  return { proof, hardening: hardeningOf(topology, compiled) }
}

interface ToProve {
  readonly topology: TopologyDeclaration
  readonly version: string
  /** Those that stand on the broker; undefined: those that the config names. */
  readonly policies: readonly LivePolicy[] | undefined
}

/** What would be added to the queues that are declared exact; the others have it already. */
function hardeningOf(topology: TopologyDeclaration, compiled: CompiledTopology): readonly Hardening[] {
  const declared = new Set(compiled.flows.filter(({ isExact }) => isExact).map(({ name }) => name))
  if (declared.size === 0) return []
  const exact = new Set(compiled.queues.filter(({ owner }) => declared.has(owner)).map(({ name }) => name))
  return listHardening(topology, compiled).filter(({ queue }) => exact.has(queue))
}

function sayProof({ proof, hardening }: Proved, terminal: Terminal): void {
  terminal.say(paintLines(renderProof(proof, { hardening }), proofStyles, terminal))
  if (proof.notes.length === 0) return
  terminal.say(terminal.paint('bold', `Known problems of RabbitMQ ${proof.brokerVersion}`))
  for (const { severity, text } of proof.notes) {
    const note = `  ${severity}: ${text}`
    terminal.say(severity === 'avoid' ? terminal.paint('yellow', note) : note)
  }
  terminal.say()
}
