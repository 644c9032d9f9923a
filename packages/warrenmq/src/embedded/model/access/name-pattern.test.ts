import { describe, expect, test } from 'vitest'
import { matchesPattern, readPattern } from './name-pattern.ts'

describe('a pattern over names', () => {
  test.each<[pattern: string, finds: readonly string[], passes: readonly string[]]>([
    ['^orders\\-', ['orders-1'], ['orders', 'my-orders-1']],
    ['^a\\_b', ['a_b'], ['ab']],
    ['(?i)^orders', ['Orders.new', 'ORDERS'], ['my.orders']],
    ['\\Aa\\.b\\z', ['a.b'], ['axb', 'a.bc']],
    ['^(?!amq\\.).*', ['mine'], ['amq.gen']],
    ['^[\\w.-]+$', ['a.b-c_d'], ['a b']],
    ['^[*+]{2}$', ['+*'], ['ab']],
    ['\\x61$', ['banana'], ['b']],
    ['^..$', ['ab', 'é'], ['a', 'éé']],
    ['é', ['café'], ['cafe']],
    ['', ['anything', ''], []],
  ])('%s finds what it finds for RabbitMQ', (pattern, finds, passes) => {
    expect(finds.filter((name) => !matchesPattern(pattern, name))).toEqual([])
    expect(passes.filter((name) => matchesPattern(pattern, name))).toEqual([])
  })

  test.each([
    ['[[:alpha:]]+', '[[:alpha:]'],
    ['\\p{L}', '\\p'],
    ['\\Qa.b\\E', '\\Q'],
    ['a(?i)b', '(?i'],
    ['(?x) a', '(?x)'],
    ['(?P<name>a)', '(?P'],
    ['(?>a)', '(?>'],
    ['a++', '++'],
    ['[]a]', '[]'],
    ['(*UTF8)a', '(*'],
  ])('%s, which JavaScript does not read as PCRE does, is not modelled', (pattern, part) => {
    expect(readPattern(pattern)).toEqual({ kind: 'not-modelled', part })
    expect(matchesPattern(pattern, 'a')).toBe(false)
  })

  test.each(['(', '[a', '*', 'a)'])('%s is none', (pattern) => {
    expect(readPattern(pattern)).toEqual({ kind: 'invalid' })
  })
})
