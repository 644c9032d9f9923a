/** Lines that are there to be copied: a break would make two commands of one. */
const isCopied = (line: string): boolean => /^\s*(rabbitmqctl|warren|npx|docker|curl) /.test(line)

/**
 * Breaks lines that are wider than a terminal between words, where the terminal itself would break inside them. What
 * follows a break stands below the text of its line. A word that is wider than the terminal is left to it.
 * @param widthOf how many columns a text takes; colours take none
 */
export function wrapText(
  text: string,
  { columns, widthOf = (part) => [...part].length }: { columns: number; widthOf?: (part: string) => number },
): string {
  return text
    .split('\n')
    .flatMap((line) =>
      widthOf(line) <= columns || isCopied(line) ? [line] : wrapLine(line, { columns, widthOf }),
    )
    .join('\n')
}

function wrapLine(
  line: string,
  { columns, widthOf }: { columns: number; widthOf: (part: string) => number },
): readonly string[] {
  const indent = /^\s*/.exec(line)![0]
  const lines: string[] = []
  let current = ''
  // Each with the spaces before it: columns of a table stay apart.
  for (const [word] of line.matchAll(/\s*\S+/g)) {
    if (current === '' || widthOf(current + word) <= columns) current += word
    else {
      lines.push(current)
      current = indent + word.trimStart()
    }
  }
  return [...lines, current]
}
