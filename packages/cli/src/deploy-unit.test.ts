import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** Not everywhere, and nothing that a package brings along. */
const analyse = 'systemd-analyze'
const hasSystemd = spawnSync(analyse, ['--version']).status === 0
if (!hasSystemd) process.stderr.write(`Skipped: there is no ${analyse} here to read the systemd unit.\n`)

describe.skipIf(!hasSystemd)('the systemd unit', () => {
  it('is one that systemd itself finds nothing wrong with', () => {
    const { status, stdout, stderr } = spawnSync(analyse, ['verify', 'deploy/warren.service'], {
      encoding: 'utf8',
    })

    // Of other units of the machine it may say what it likes.
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('warren.service'))).toEqual([])
    expect(status).toBe(0)
  })
})

describe('the image', () => {
  it('holds what the packages hold, and what they need to run', () => {
    const filesOf = (folder: string): string[] => {
      const { files } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { files: string[] }
      // npm itself adds the manifest; words for readers are not needed in an image.
      const needed = files.filter((name) => !name.startsWith('!') && !name.endsWith('.md'))
      return [...needed, 'package.json'].map((name) => `${folder}/${name}`)
    }
    const copied = readFileSync('deploy/Dockerfile', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('COPY --from=build '))
      .flatMap((line) => line.split(' ').slice(2, -1))
      .map((path) => path.replace('/src/', ''))

    const needed = ['packages/warrenmq', 'packages/cli'].flatMap(filesOf)
    expect(copied.toSorted()).toEqual([...needed, 'package.json', 'node_modules'].toSorted())
  })
})
