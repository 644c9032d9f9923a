import { expect, it } from 'vitest'
import { renderWarning } from './render-warning.ts'

it('a warning of ours wipes the progress and breaks between words', () => {
  const message =
    'The canary proves nothing: what it moved to "pay" is still there, and nobody consumes from it.'

  const shown = renderWarning({ name: 'Warning', message, code: 'WARREN_REDRIVE_UNTRIED' }, 80)

  expect(shown).toBe(
    '\r\u001b[2Kwarren: The canary proves nothing: what it moved to "pay" is still there, and\n' +
      'nobody consumes from it. (WARREN_REDRIVE_UNTRIED)\n',
  )
})

it('a warning of Node keeps its name and its code', () => {
  const warning = { name: 'DeprecationWarning', message: 'Do not use it.', code: 'DEP0001' }

  expect(renderWarning(warning, 80)).toBe('\r\u001b[2K[DEP0001] DeprecationWarning: Do not use it.\n')
})
