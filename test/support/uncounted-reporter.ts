import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'

/**
 * Tells what the counts of a run do not: which tests passed only at their second try, so that nobody takes them for
 * sound, and what failed outside of any test, which fails a run whose tests have all passed.
 */
export class UncountedReporter implements Reporter {
  readonly #files: { readonly secondTries: string | undefined; readonly strayErrors: string | undefined }
  readonly #tests: string[] = []

  /** The files get a line for each. */
  constructor(files: { readonly secondTries: string | undefined; readonly strayErrors: string | undefined }) {
    this.#files = files
  }

  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return
    const [error] = test.result().errors ?? []
    const file = relative(process.cwd(), test.module.moduleId)
    this.#tests.push(`${file} > ${test.fullName}: ${error?.message.split('\n')[0]}`)
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    for (const test of this.#tests) process.stdout.write(`passed at the second try: ${test}\n`)
    writeLines(this.#files.secondTries, this.#tests)
    writeLines(
      this.#files.strayErrors,
      errors.map(({ message, stack = '' }) => `${message} ${stack.split('\n').slice(1, 4).join(' ')}`),
    )
  }
}

function writeLines(file: string | undefined, lines: readonly string[]): void {
  if (file) writeFileSync(file, lines.map((line) => `${line.replaceAll('\n', ' ')}\n`).join(''))
}
