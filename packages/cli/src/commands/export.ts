import { compileTopology, renderDefinitions } from 'warrenmq/operations'
import type { CliCommand } from '../command.ts'
import { loadConfig } from '../config/load-config.ts'
import { addBrokerVersionOption, addConfigOption } from '../options/config-options.ts'
import { addOutputOption, writeOutput } from '../options/output-options.ts'

/** `export` is a word of the language, so the command has the longer name here. */
export const exportDefinitions: CliCommand = {
  name: 'export',
  summary: 'write the topology as a definitions.json',
  example: 'warren export --broker-version 4.0 --output definitions.json',
  configure: (command) => {
    addConfigOption(command)
    addBrokerVersionOption(command)
    command.option('--vhost <name>', 'the vhost of every object in the file', '/')
    addOutputOption(command)
  },
  run: async ({ options }, terminal) => {
    const { topology } = await loadConfig(options)
    const compiled = compileTopology(topology, { brokerVersion: options.brokerVersion as string })
    const document = renderDefinitions(compiled, { vhost: options.vhost as string })
    await writeOutput({ text: `${JSON.stringify(document, null, 2)}\n`, document }, { options, terminal })
    return 0
  },
}
