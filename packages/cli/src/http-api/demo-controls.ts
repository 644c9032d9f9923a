import type { Demo } from './contract/contract.ts'

/** What a visitor can do to the shop of the demo. */
export interface DemoControls {
  read(): Demo
  /** Resolves when all that becomes due has happened. */
  forward(milliseconds: number): Promise<void>
  mend(isMended: boolean): void
}
