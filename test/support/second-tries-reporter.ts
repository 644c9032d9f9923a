import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestCase } from 'vitest/node'

/** Tells which tests passed only at their second try, so that nobody takes them for sound. */
export class SecondTriesReporter implements Reporter {
  readonly #outputFile: string | undefined
  readonly #tests: string[] = []

  /** The file gets a line for each. */
  constructor(outputFile: string | undefined) {
    this.#outputFile = outputFile
  }

  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return
    const [error] = test.result().errors ?? []
    const file = relative(process.cwd(), test.module.moduleId)
    this.#tests.push(`${file} > ${test.fullName}: ${error?.message.split('\n')[0]}`)
  }

  onTestRunEnd(): void {
    for (const test of this.#tests) process.stdout.write(`passed at the second try: ${test}\n`)
    if (this.#outputFile) writeFileSync(this.#outputFile, this.#tests.map((test) => `${test}\n`).join(''))
  }
}
