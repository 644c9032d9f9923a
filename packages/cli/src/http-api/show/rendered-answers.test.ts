import { expect, it } from 'vitest'
import { createRenderedAnswers } from './rendered-answers.ts'

function setup() {
  const give = createRenderedAnswers()
  const rendered: string[] = []
  const ask = async (view: string, edition: string, text = `${view} ${edition}`) => {
    const { body, etag } = await give({ view, edition }, async () => {
      rendered.push(text)
      return text
    })
    return { text: String(body), etag }
  }
  return { give, ask, rendered }
}

it('an answer is rendered once for all who are told the same, also at the same time', async () => {
  const { ask, rendered } = setup()

  const answers = await Promise.all([ask('a', '1'), ask('a', '1'), ask('b', '1')])
  answers.push(await ask('a', '1'))

  expect(answers.map(({ text }) => text)).toEqual(['a 1', 'a 1', 'b 1', 'a 1'])
  expect(rendered).toEqual(['a 1', 'b 1'])
})

it('an answer of another edition is rendered anew, and its tag is another only if its text is', async () => {
  const { ask, rendered } = setup()
  const first = await ask('a', '1', 'same')

  const same = await ask('a', '2', 'same')
  const other = await ask('a', '3', 'other')

  expect(rendered).toEqual(['same', 'same', 'other'])
  expect(same.etag).toBe(first.etag)
  expect(other.etag).not.toBe(first.etag)
})

it('a failure is told to who waited for it, and the next one asks again', async () => {
  const { give, ask } = setup()

  const failed = give({ view: 'a', edition: '1' }, () => Promise.reject(new Error('away')))

  await expect(failed).rejects.toThrow('away')
  expect((await ask('a', '1')).text).toBe('a 1')
})

it('what is large, and many different answers, are not kept', async () => {
  const { ask, rendered } = setup()
  const large = 'x'.repeat(1024 * 1024 + 1)

  await ask('large', '1', large)
  await ask('large', '1', large)
  for (let at = 0; at <= 50; at += 1) await ask(`view ${at}`, '1')
  await ask('view 0', '1')

  expect(rendered.filter((text) => text === large)).toHaveLength(2)
  expect(rendered.filter((text) => text === 'view 0 1')).toHaveLength(2)
})
