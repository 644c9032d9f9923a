/** Rows as a table of Markdown; the first one is its head. */
export function table([head, ...rows]) {
  const all = [head, ...rows].map((row) => row.map((value) => cell(value)))
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)))
  const line = (row) => `| ${row.map((value, column) => value.padEnd(widths[column])).join(' | ')} |`
  return [
    line(all[0]),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...all.slice(1).map(line),
  ].join('\n')
}

/** Text as it can stand in a cell. */
export function cell(text) {
  return String(text).replaceAll('|', '\\|').replaceAll('\n', ' ')
}

/** A number as people read it; a dash where nobody counted. */
export function number(value) {
  return value === undefined ? '–' : value.toLocaleString('en-US')
}

export function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}

/** `cut 12, kill 3` */
export function listCounts(counts) {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${number(count)}`)
    .join(', ')
}
