#!/usr/bin/env node
import { renderWarning } from './output/render-warning.ts'
import { runCli } from './run-cli.ts'

// `warren … | head` closes the pipe before we are done: that is not an error to show.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1)
})

// Node writes warnings with its process id, into the middle of a progress line, and leaves breaking them to the terminal.
if (process.stderr.isTTY) {
  process.removeAllListeners('warning')
  process.on('warning', (warning) =>
    process.stderr.write(renderWarning(warning, process.stderr.columns || 80)),
  )
}

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
})
