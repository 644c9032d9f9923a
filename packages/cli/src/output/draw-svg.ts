/** Draws Graphviz' language with Graphviz itself, compiled to WebAssembly: nothing to install beside the package. */
export async function drawSvg(dot: string): Promise<string> {
  // A megabyte that only this format needs.
  const { instance } = await import('@viz-js/viz')
  const graphviz = await instance()
  return graphviz.renderString(dot, { format: 'svg', engine: 'dot' })
}
