import { extname } from 'node:path'
import { InvalidArgumentError as InvalidOptionError, Option } from 'commander'
import {
  type CompiledTopology,
  compileTopology,
  proveTopology,
  renderDot,
  renderMermaid,
} from 'warrenmq/operations'
import type { CliCommand } from '../command.ts'
import { loadConfig } from '../config/load-config.ts'
import { addBrokerVersionOption, addConfigOption } from '../options/config-options.ts'
import { addOutputOption, writeOutput } from '../options/output-options.ts'
import { drawSvg } from '../output/draw-svg.ts'

/** A picture of the topology; what the proof found is red. */
export const diagram: CliCommand = {
  name: 'diagram',
  summary: 'draw the topology, with problems in red',
  example: 'warren diagram --format svg --output topology.svg',
  configure: (command) => {
    addConfigOption(command)
    addBrokerVersionOption(command)
    command.addOption(
      new Option(
        '--format <format>',
        'the output format (default: from the extension of --output, or mermaid)',
      ).choices(formats),
    )
    addOutputOption(command)
  },
  run: async ({ options }, terminal) => {
    const format = formatOf(options)
    const { topology } = await loadConfig(options)
    const compiled = compileTopology(topology, { brokerVersion: options.brokerVersion as string })
    const problems = proveTopology(compiled).findings.flatMap(({ queue }) => queue ?? [])
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

/** What the ending of a file promises. Of a file without one nobody expects anything. */
const endings: Readonly<Record<string, Format>> = {
  '.svg': 'svg',
  '.dot': 'dot',
  '.gv': 'dot',
  '.mmd': 'mermaid',
  '.mermaid': 'mermaid',
  '': 'mermaid',
}

/** Nothing here can be one of these, whatever --format says. */
const otherPictures = [
  '.png',
  '.jpg',
  '.jpeg',
  '.gif',
  '.webp',
  '.bmp',
  '.tif',
  '.tiff',
  '.pdf',
  '.eps',
  '.ps',
]

function formatOf({ format, output }: Readonly<Record<string, unknown>>): Format {
  const ending = typeof output === 'string' ? extname(output).toLowerCase() : ''
  const promised = Object.hasOwn(endings, ending) ? endings[ending] : undefined
  const isTold = format !== undefined
  if (isTold && (ending === '' || promised === format)) return format as Format
  if (promised !== undefined && !isTold) return promised
  // A name that promises nothing of ours, such as notes.txt, is fine once somebody says what to put there.
  if (isTold && promised === undefined && !otherPictures.includes(ending)) return format as Format
  const written = isTold ? `--format ${String(format)}` : 'warren'
  throw new InvalidOptionError(
    `--output ${String(output)}: ${written} does not write ${ending}. Name the file .svg, .dot or .gv, or .mmd (mermaid)${
      otherPictures.includes(ending) ? '; a browser or rsvg-convert turns an SVG into an image.' : '.'
    }`,
  )
}
