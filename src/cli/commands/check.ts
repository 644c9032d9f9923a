import { compileTopology } from '../../topology/compile-topology.ts'
import type { CompiledTopology } from '../../topology/compiled-topology.ts'
import type { TopologyDeclaration } from '../../topology/declaration.ts'
import { type Hardening, listHardening } from '../../topology/list-hardening.ts'
import { type Proof, proveTopology } from '../../topology/prove/prove-topology.ts'
import { renderProof } from '../../topology/render-proof.ts'
import type { CliCommand } from '../command.ts'
import { addConfigOption, newestBrokerVersion, readBrokerVersion } from '../config-options.ts'
import { loadConfig } from '../load-config.ts'
import { paintLines, proofStyles } from '../paint-lines.ts'
import type { Terminal } from '../terminal.ts'

/** Proves the topology without a broker, for each version that is named. */
export const check: CliCommand = {
  name: 'check',
  summary: 'prove that no path of the topology loses, loops or duplicates; no broker needed',
  example: 'warren check --broker-version 3.10 --broker-version 4.0.5',
  configure: (command) => {
    addConfigOption(command)
    command.option(
      '--broker-version <version>',
      `the RabbitMQ to prove it for; may be repeated (default: ${newestBrokerVersion})`,
      (text: string, before: readonly string[] = []) => [...before, readBrokerVersion(text)],
    )
  },
  run: async ({ options }, terminal) => {
    const { file, topology } = await loadConfig(options)
    const versions = (options.brokerVersion as readonly string[] | undefined) ?? [newestBrokerVersion]
    const proofs = versions.map((version) => prove(topology, version))
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

interface Proved {
  readonly proof: Proof
  readonly hardening: readonly Hardening[]
}

function prove(topology: TopologyDeclaration, brokerVersion: string): Proved {
  const compiled = compileTopology(topology, { brokerVersion })
  return { proof: proveTopology(compiled), hardening: hardeningOf(topology, compiled) }
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
  terminal.say(terminal.paint('bold', `Known of RabbitMQ ${proof.brokerVersion}`))
  for (const { severity, text } of proof.notes) {
    const note = `  ${severity}: ${text}`
    terminal.say(severity === 'avoid' ? terminal.paint('yellow', note) : note)
  }
  terminal.say()
}
