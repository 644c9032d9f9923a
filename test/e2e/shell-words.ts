/** The words of a command line as a shell would pass them on, up to a pipe, a redirection or a second command. */
export function shellWords(line: string): readonly string[] {
  const words: string[] = []
  for (const [, double, single, plain] of line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)) {
    if (plain !== undefined && /^(\||&&|;|>|<|2>|#)/.test(plain)) break
    words.push(double ?? single ?? plain ?? '')
  }
  return words
}
