import type { Command } from 'commander'
import { readPort } from './read-port.ts'

/** For every command that opens the console. */
export function addConsoleOptions(command: Command): void {
  command
    .option('--port <number>', 'the port to listen on (default: a free one)', readPort)
    .option('--no-open', 'print the link and open no browser')
}
