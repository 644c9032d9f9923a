import { extname } from 'node:path'
import { Option } from 'commander'
import { compileTopology } from '../../topology/compile-topology.ts'
import type { CompiledTopology } from '../../topology/compiled-topology.ts'
import { proveTopology } from '../../topology/prove/prove-topology.ts'
import { renderDot } from '../../topology/render-dot.ts'
import { renderMermaid } from '../../topology/render-mermaid.ts'
import type { CliCommand } from '../command.ts'
import { addBrokerVersionOption, addConfigOption } from '../config-options.ts'
import { drawSvg } from '../draw-svg.ts'
import { loadConfig } from '../load-config.ts'
import { addOutputOption, writeOutput } from '../output-options.ts'

/** A picture of the topology; what the proof found is red. */
export const diagram: CliCommand = {
  name: 'diagram',
  summary: 'draw the topology, problems in red',
  example: 'warren diagram --format svg --output topology.svg',
  configure: (command) => {
    addConfigOption(command)
    addBrokerVersionOption(command)
    command.addOption(
      new Option(
        '--format <format>',
        'the language of the picture (default: by the name of --output, or mermaid)',
      ).choices(formats),
    )
    addOutputOption(command)
  },
  run: async ({ options }, terminal) => {
    const { topology } = await loadConfig(options)
    const compiled = compileTopology(topology, { brokerVersion: options.brokerVersion as string })
    const problems = proveTopology(compiled).findings.flatMap(({ queue }) => queue ?? [])
    const format = formatOf(options)
    const text = await draw[format](compiled, new Set(problems))
    await writeOutput(
      { text, document: { format, problems: [...new Set(problems)], diagram: text } },
      { options, terminal },
    )
    return 0
  },
}

type Format = 'mermaid' | 'dot' | 'svg'

const draw: {
  readonly [Each in Format]: (
    topology: CompiledTopology,
    problems: ReadonlySet<string>,
  ) => string | Promise<string>
} = {
  mermaid: renderMermaid,
  dot: renderDot,
  svg: (topology, problems) => drawSvg(renderDot(topology, problems)),
}

const formats = Object.keys(draw) as Format[]

function formatOf({ format, output }: Readonly<Record<string, unknown>>): Format {
  if (format !== undefined) return format as Format
  const extension = typeof output === 'string' ? extname(output) : ''
  return extension === '.svg' ? 'svg' : extension === '.dot' || extension === '.gv' ? 'dot' : 'mermaid'
}
