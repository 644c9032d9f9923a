// A room that has more than five files says in a README what each of them is for.
//   node scripts/check-room-readmes.mjs
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const houses = ['packages/warrenmq/src', 'packages/cli/src', 'packages/console/src', 'packages/nestjs/src']
const mostWithoutReadme = 5

const silent = houses.flatMap(roomsIn).filter(needsReadme)
for (const { room, sources } of silent)
  console.error(`${room} has ${sources.length} files and no README.md that says what they are for.`)
process.exitCode = silent.length > 0 ? 1 : 0

function roomsIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  const sources = files.filter((name) => /\.tsx?$/.test(name) && !/\.(test|d)\.tsx?$/.test(name))
  const rooms = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  return [{ room: folder, sources, hasReadme: files.includes('README.md') }, ...rooms.flatMap(roomsIn)]
}

function needsReadme({ sources, hasReadme }) {
  return sources.length > mostWithoutReadme && !hasReadme
}
