import { expect, it } from 'vitest'
import { hexDump } from './hex-dump.ts'

it('bytes are shown with their place, and what is no letter as a dot', () => {
  const bytes = new TextEncoder().encode('{"order":42,"a":"é"}')

  expect(hexDump(bytes, 100).split('\n')).toEqual([
    '00000000  7b 22 6f 72 64 65 72 22  3a 34 32 2c 22 61 22 3a  {"order":42,"a":',
    '00000010  22 c3 a9 22 7d                                    ".."}',
  ])
  expect(hexDump(bytes, 2)).toBe('00000000  7b 22                                             {"')
})
