import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { InvalidArgumentError } from 'warrenmq'
import { readEdit } from './read-edit.ts'

async function setup(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'warren-edit-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'edit.json')
  await writeFile(file, text)
  return file
}

describe('an edit', () => {
  it('has a body as text, headers, or both', async () => {
    const text = '{ "body": { "amount": 12 }, "headers": { "tenant": "blue", "x-wrong": null } }'

    expect(await readEdit(await setup(text))).toEqual({
      body: '{"amount":12}',
      headers: { tenant: 'blue', 'x-wrong': null },
    })
    expect(await readEdit(await setup('{ "body": "as it is" }'))).toEqual({ body: 'as it is' })
  })

  it.each([
    ['{', /is not JSON/],
    ['[]', /must hold an object/],
    ['{}', /changes nothing/],
    ['{ "hedaers": {} }', /has "hedaers"/],
    ['{ "headers": "tenant" }', /"headers" in .* must be an object/],
    ['{ "headers": { "x-death": [] } }', /^Nothing was moved .*The header "x-death" cannot be edited/],
  ])('that is %s is refused with a sentence', async (text, sentence) => {
    await expect(readEdit(await setup(text))).rejects.toThrow(sentence)
  })

  it('whose file is not there is refused with a sentence, not a stack', async () => {
    const reading = readEdit('typo.json')

    await expect(reading).rejects.toThrow(InvalidArgumentError)
    await expect(reading).rejects.toThrow(/^Nothing was moved \(--edit\): typo\.json cannot be read: ENOENT/)
  })
})
