import { extname } from 'node:path'
import { compileTopology, renderAsyncApi, renderDefinitions } from 'warrenmq/operations'
import { stringify } from 'yaml'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { loadConfig } from '../config/load-config.ts'
import { addBrokerVersionOption, addConfigOption } from '../options/config-options.ts'
import { addOutputOption, writeOutput } from '../options/output-options.ts'
import type { Terminal } from '../output/terminal.ts'

/** `export` is a word of the language, so the command has the longer name here. */
export const exportDefinitions: CliCommand = {
  name: 'export',
  summary: 'write the topology as a definitions.json, or its messages as AsyncAPI',
  example: 'warren export --broker-version 4.0 --output definitions.json',
  configure: (command) => {
    addConfigOption(command)
    addBrokerVersionOption(command)
    command
      .option('--vhost <name>', 'the vhost of every object in the file', '/')
      .option('--asyncapi', 'write the messages and their schemas, as AsyncAPI 3')
      .option('--title <text>', 'with --asyncapi: what the document is called', 'Messages')
      .option('--document-version <version>', 'with --asyncapi: the version of the document', '1.0.0')
    addOutputOption(command)
  },
  run: async (input, terminal) => {
    const { options } = input
    const { topology } = await loadConfig(options)
    const compiled = compileTopology(topology, { brokerVersion: options.brokerVersion as string })
    if (options.asyncapi) return exportAsyncApi(compiled, input, terminal)
    const document = renderDefinitions(compiled, { vhost: options.vhost as string })
    await writeOutput({ text: renderJson(document), document }, { options, terminal })
    return 0
  },
}

async function exportAsyncApi(
  topology: ReturnType<typeof compileTopology>,
  { options }: CommandInput,
  terminal: Terminal,
): Promise<ExitCode> {
  const info = { title: options.title as string, version: options.documentVersion as string }
  const { document, indescribable } = renderAsyncApi(topology, {
    info,
    vhost: options.vhost as string,
  })
  const isYaml = /^\.ya?ml$/.test(extname(String(options.output ?? '')))
  const text = isYaml ? stringify(document) : renderJson(document)
  await writeOutput({ text, document }, { options, terminal })
  for (const { message, problem } of indescribable) warnOfMissing(message, problem)
  return indescribable.length > 0 ? 3 : 0
}

/** Not among the lines that are said: the document may go to standard output. */
function warnOfMissing(message: string, problem: string): void {
  process.emitWarning(
    `The document does not say what the body of ${message} is: ${problem}. Give the message a jsonSchema.`,
    { code: 'WARREN_SCHEMA_LEFT_OUT' },
  )
}

function renderJson(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`
}
