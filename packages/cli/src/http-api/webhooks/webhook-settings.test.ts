import { describe, expect, it } from 'vitest'
import { readServerSection } from '../read-server-section.ts'

const hook = { name: 'on-call', url: 'https://hooks.example/1', on: { above: 10 } }

function read(webhooks: unknown, env: Record<string, string> = {}) {
  return readServerSection({ webhooks }, env).webhooks
}

describe('server.webhooks', () => {
  it('may be left out', () => {
    expect(readServerSection({}).webhooks.hooks).toEqual([])
  })

  it('has defaults for all but the receiver and what it wants to know', () => {
    expect(read({ to: [hook] })).toEqual({
      everyMs: 15_000,
      retry: { attempts: 10, initialMs: 1_000, maxMs: 300_000 },
      hooks: [
        {
          name: 'on-call',
          url: hook.url,
          format: 'generic',
          queues: [],
          hasSamples: false,
          secret: undefined,
          on: { above: 10, growth: undefined, isNewCause: false, isTaskFinished: false },
        },
      ],
    })
  })

  it('takes secrets and secret addresses from the environment', () => {
    const given = { name: 'slack', urlFrom: 'SLACK', secretFrom: 'KEY', on: { newCause: true } }

    const { hooks } = read({ to: [given] }, { SLACK: 'https://hooks.example/2', KEY: 'secret' })

    expect(hooks[0]).toMatchObject({ url: 'https://hooks.example/2', secret: 'secret' })
  })

  it.each<[string, unknown, string]>([
    ['no receiver', {}, 'webhooks'],
    ['nothing to tell', { to: [{ ...hook, on: {} }] }, 'webhooks.to.0.on'],
    ['a misspelt rule', { to: [{ ...hook, on: { abve: 1 } }] }, 'webhooks.to.0.on'],
    ['two addresses', { to: [{ ...hook, urlFrom: 'SLACK' }] }, 'either url or urlFrom'],
    ['a secret in the config', { to: [{ ...hook, secret: 'hunter2' }] }, 'webhooks.to.0'],
    ['a variable that is not set', { to: [{ ...hook, secretFrom: 'KEY' }] }, 'KEY from the environment'],
    [
      'an address that is none',
      { to: [{ ...hook, url: 'file:///hunter2' }] },
      'not an http:// or https:// URL',
    ],
    ['a time that is none', { every: 'often', to: [] }, 'duration'],
  ])('with %s is refused with a sentence, and without a secret in it', (_, given, sentence) => {
    expect(() => read(given)).toThrow(sentence)
    expect(() => read(given)).not.toThrow('hunter2')
  })
})
