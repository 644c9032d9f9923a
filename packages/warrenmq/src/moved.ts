#!/usr/bin/env node
// The command line had this package's name once.
process.stderr.write(
  'The command line is now a separate package: npx @warrenmq/cli <command>, or `npm install @warrenmq/cli` and then `warren <command>`.\n',
)
process.exitCode = 2
