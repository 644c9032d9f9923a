#!/usr/bin/env node
// The command line had this package's name once. Only the names of commands are repeated: a URL may hold a password.
const given = process.argv.slice(2)
const end = given.findIndex((word) => !/^[a-z]+$/.test(word))
const command = end === -1 ? given : [...given.slice(0, end), '…']
process.stderr.write(
  `The command line is now a separate package. Run: npx @warrenmq/cli ${command.join(' ') || '<command>'}\n` +
    'To have the command `warren`: npm install @warrenmq/cli\n',
)
process.exitCode = 2
