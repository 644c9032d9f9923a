import type { CompiledTopology } from './compiled-topology.ts'
import { type DrawnEdge, type DrawnNode, drawTopology } from './draw-topology.ts'
import { groupBy } from './group-by.ts'

/**
 * The topology in Graphviz' language. Queues with problems have a thick red line; their fill still tells what they are.
 * @example
 * ```ts
 * const dot = renderDot(compiled, new Set(['orders']))
 * ```
 */
export function renderDot(topology: CompiledTopology, problems?: ReadonlySet<string>): string {
  const { nodes, edges } = drawTopology(topology, problems)
  const groups = groupBy(nodes, ({ group }) => group)
  const pairs = new Set(edges.map(({ from, to }) => `${from} ${to}`))
  return [
    'digraph topology {',
    '  graph [rankdir=LR, pad=0.3, nodesep=0.3, ranksep=0.7, fontname="Helvetica,Arial,sans-serif", fontsize=13]',
    '  node [fontname="Helvetica,Arial,sans-serif", fontsize=12, style=filled, margin="0.2,0.08"]',
    '  edge [fontname="Helvetica,Arial,sans-serif", fontsize=10, arrowsize=0.7]',
    ...nodes.filter(({ group }) => group === undefined).map((node) => `  ${renderNode(node)}`),
    ...[...groups].flatMap(([name, members], index) => [
      `  subgraph cluster_${index} {`,
      `    label=${quote(name)}`,
      '    graph [style="rounded,filled", color="#cfd8dc", fillcolor="#fafafa", margin=14]',
      ...members.map((node) => `    ${renderNode(node)}`),
      '  }',
    ]),
    ...edges.map((edge) => `  ${renderEdge(edge, isDetour(edge, pairs))}`),
    '}',
    '',
  ].join('\n')
}

const colours = {
  exchange: { shape: 'hexagon', fill: '#e3f2fd', stroke: '#1565c0' },
  work: { shape: 'cylinder', fill: '#e8f5e9', stroke: '#2e7d32' },
  wait: { shape: 'cylinder', fill: '#fff3e0', stroke: '#e65100' },
  'dead-letter': { shape: 'cylinder', fill: '#eceff1', stroke: '#455a64' },
} as const

function renderNode({ id, label, detail, shape, hasProblem }: DrawnNode): string {
  const { shape: outline, fill, stroke } = colours[shape]
  const attributes = [
    `label=${quote(`${label}\n${detail}`)}`,
    `shape=${outline}`,
    `fillcolor="${fill}"`,
    `color="${hasProblem ? '#c62828' : stroke}"`,
    ...(hasProblem ? ['penwidth=3'] : []),
  ]
  return `${id} [${attributes.join(', ')}]`
}

const edgeColours = { deliver: '#1565c0', retry: '#e65100', park: '#455a64' } as const

// The way home points backwards: it must not push what it returns to behind what it waited in. Between two boxes
// that face each other Graphviz knows by itself.
function isDetour({ from, to, kind, label }: DrawnEdge, pairs: ReadonlySet<string>): boolean {
  return kind === 'dead-letter' && label.startsWith('expired') && !pairs.has(`${to} ${from}`)
}

function renderEdge({ from, to, label, kind, purpose }: DrawnEdge, isBackwards: boolean): string {
  const style = { route: 'solid', 'dead-letter': 'dashed', retry: 'bold', park: 'bold' }[kind]
  const colour = edgeColours[purpose]
  const attributes = [
    `style=${style}`,
    `color="${colour}"`,
    ...(label === '' ? [] : [`label=${quote(label)}`, `fontcolor="${colour}"`]),
    ...(isBackwards ? ['constraint=false'] : []),
  ]
  return `${from} -> ${to} [${attributes.join(', ')}]`
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
