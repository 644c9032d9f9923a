import type { CompiledTopology } from './compiled-topology.ts'
import { type DrawnEdge, type DrawnNode, drawTopology } from './draw-topology.ts'
import { groupBy } from './group-by.ts'

/**
 * The topology as a mermaid flowchart. Queues with problems are red.
 * @example
 * ```ts
 * const mermaid = renderMermaid(compiled, new Set(['orders']))
 * ```
 */
export function renderMermaid(topology: CompiledTopology, problems?: ReadonlySet<string>): string {
  const { nodes, edges } = drawTopology(topology, problems)
  const groups = groupBy(nodes, ({ group }) => group)
  return [
    'flowchart LR',
    ...nodes.filter(({ group }) => group === undefined).map((node) => `  ${renderNode(node)}`),
    ...[...groups].flatMap(([name, members], index) => [
      `  subgraph g${index}["${escapeText(name)}"]`,
      ...members.map((node) => `    ${renderNode(node)}`),
      '  end',
    ]),
    ...edges.map((edge) => `  ${renderEdge(edge)}`),
    ...renderColours(edges),
    ...classDefinitions,
    '',
  ].join('\n')
}

const classDefinitions = [
  '  classDef exchange fill:#e3f2fd,stroke:#1565c0,color:#0d2b4d',
  '  classDef work fill:#e8f5e9,stroke:#2e7d32,color:#12351a',
  '  classDef wait fill:#fff3e0,stroke:#e65100,color:#4a3500',
  '  classDef dlq fill:#eceff1,stroke:#455a64,color:#1c262b',
  '  classDef problem fill:#ffebee,stroke:#c62828,stroke-width:3px,color:#5f0f0f',
]

function renderNode({ id, label, detail, shape, hasProblem }: DrawnNode): string {
  const text = `"${escapeText(label)}<br/><small>${escapeText(detail)}</small>"`
  const box = shape === 'exchange' ? `{{${text}}}` : `[(${text})]`
  const className = hasProblem ? 'problem' : shape === 'dead-letter' ? 'dlq' : shape
  return `${id}${box}:::${className}`
}

function renderEdge({ from, to, label, kind }: DrawnEdge): string {
  const arrow = { route: '-->', 'dead-letter': '-.->', retry: '==>', park: '==>' }[kind]
  return label === '' ? `${from} ${arrow} ${to}` : `${from} ${arrow}|"${escapeText(label)}"| ${to}`
}

/** Mermaid colours arrows by their number, in the order in which they were written. */
function renderColours(edges: readonly DrawnEdge[]): readonly string[] {
  const numbered = edges.map(({ purpose }, index) => ({ purpose, index }))
  return [...groupBy(numbered, ({ purpose }) => purpose)].map(
    ([purpose, members]) =>
      `  linkStyle ${members.map(({ index }) => index).join(',')} stroke:${edgeColours[purpose]}`,
  )
}

const edgeColours = { deliver: '#1565c0', retry: '#e65100', park: '#455a64' } as const

// In mermaid a # starts a character code, a quote ends the text, a backtick makes it markdown, and more besides. So
// what is neither a letter, a digit nor a harmless sign is written as its code, which always stands for itself.
function escapeText(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]+/g, ' ').replaceAll(/[^\p{L}\p{N} ._*:,/'-]/gu, codeOf)
}

function codeOf(sign: string): string {
  return `#${sign.codePointAt(0)};`
}
