#!/usr/bin/env node
import { runCli } from './run-cli.ts'

// `warren … | head` closes the pipe before we are done: that is not an error to show.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1)
})

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
})
