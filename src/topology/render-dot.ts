import type { CompiledTopology } from './compiled-topology.ts'
import { type DrawnEdge, type DrawnNode, drawTopology } from './draw-topology.ts'
import { groupBy } from './group-by.ts'

/** The topology in Graphviz' language. Queues with problems are red. */
export function renderDot(topology: CompiledTopology, problems?: ReadonlySet<string>): string {
  const { nodes, edges } = drawTopology(topology, problems)
  const groups = groupBy(nodes, ({ group }) => group)
  return [
    'digraph topology {',
    '  rankdir=LR',
    '  node [fontname="sans-serif", style=filled]',
    '  edge [fontname="sans-serif", fontsize=10]',
    ...nodes.filter(({ group }) => group === undefined).map((node) => `  ${renderNode(node)}`),
    ...[...groups].flatMap(([name, members], index) => [
      `  subgraph cluster_${index} {`,
      `    label=${quote(name)}`,
      '    color="#b0bec5"',
      ...members.map((node) => `    ${renderNode(node)}`),
      '  }',
    ]),
    ...edges.map((edge) => `  ${renderEdge(edge)}`),
    '}',
    '',
  ].join('\n')
}

const colours = {
  exchange: { shape: 'hexagon', fill: '#e3f2fd', stroke: '#1565c0' },
  work: { shape: 'cylinder', fill: '#e8f5e9', stroke: '#2e7d32' },
  wait: { shape: 'cylinder', fill: '#fff8e1', stroke: '#f9a825' },
  'dead-letter': { shape: 'cylinder', fill: '#eceff1', stroke: '#455a64' },
} as const

function renderNode({ id, label, detail, shape, hasProblem }: DrawnNode): string {
  const { shape: outline, fill, stroke } = colours[shape]
  const attributes = [
    `label=${quote(`${label}\n${detail}`)}`,
    `shape=${outline}`,
    `fillcolor="${hasProblem ? '#ffebee' : fill}"`,
    `color="${hasProblem ? '#c62828' : stroke}"`,
    ...(hasProblem ? ['penwidth=3'] : []),
  ]
  return `${id} [${attributes.join(', ')}]`
}

function renderEdge({ from, to, label, kind }: DrawnEdge): string {
  const style = { route: 'solid', 'dead-letter': 'dashed', retry: 'bold', park: 'bold' }[kind]
  const attributes = [`style=${style}`, ...(label === '' ? [] : [`label=${quote(label)}`])]
  return `${from} -> ${to} [${attributes.join(', ')}]`
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
