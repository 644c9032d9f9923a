export type { WarrenConsoleOptions } from './console-options.ts'
export { WarrenConsoleModule } from './warren-console-module.ts'
