import type { FieldTable, FieldValue } from '../../../wire/field-value.ts'
import { typeNameOf } from '../message/terms.ts'

/**
 * The number by which RabbitMQ's HTTP API tells the arguments of one binding from those of another: Erlang's portable
 * hash (`phash2`, over 32 bits) of the table as Erlang holds it, a list of tuples of name, type and value.
 */
export function hashTable(table: FieldTable): number {
  return hashList(table.map(entryOf), 0)
}

/** What is hashed: the terms that field tables are made of. */
type Term =
  | { readonly kind: 'atom' | 'binary'; readonly bytes: Buffer }
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'tuple' | 'list'; readonly items: readonly Term[] }

function entryOf({ name, value }: FieldTable[number]): Term {
  return { kind: 'tuple', items: [binary(name), atom(typeNameOf(value)), termOf(value)] }
}

function termOf(field: FieldValue): Term {
  switch (field.type) {
    case 'S':
    case 'x':
      return binary(field.value)
    case 't':
      return atom(String(field.value))
    case 'V':
      return atom('undefined')
    case 'f':
    case 'd':
      return { kind: 'float', value: field.value }
    case 'D':
      return { kind: 'tuple', items: [integer(field.value.scale), integer(field.value.unscaled)] }
    case 'A':
      return {
        kind: 'list',
        items: field.value.map((item) => ({ kind: 'tuple', items: [atom(typeNameOf(item)), termOf(item)] })),
      }
    case 'F':
      return { kind: 'list', items: field.value.map(entryOf) }
    default:
      return integer(field.value)
  }
}

function binary(value: string | Buffer): Term {
  return { kind: 'binary', bytes: Buffer.from(value) }
}

function atom(name: string): Term {
  return { kind: 'atom', bytes: Buffer.from(name) }
}

function integer(value: number | bigint): Term {
  return { kind: 'integer', value: BigInt(value) }
}

/** Every kind of term is mixed in with a multiple of this, so that equal bits of two kinds differ. */
const golden = 0x9e3779b9

function saltOf(kind: number): number {
  return Math.imul(golden, kind) >>> 0
}

const salts = {
  emptyList: saltOf(2),
  atom: saltOf(3),
  tuple: saltOf(9),
  negative: saltOf(10),
  positive: saltOf(11),
  float: saltOf(12),
  binary: saltOf(13),
}

function hashTerm(term: Term, hash: number): number {
  switch (term.kind) {
    case 'atom':
      return hash === 0 ? hashAtom(term.bytes) : mixIn(hash, [hashAtom(term.bytes), 0], salts.atom)
    case 'binary':
      return hashBytes(term.bytes, (salts.binary + hash) >>> 0)
    case 'integer':
      return hashInteger(term.value, hash)
    case 'float':
      return hashFloat(term.value, hash)
    case 'tuple':
      return term.items.reduce(
        (sum, item) => hashTerm(item, sum),
        mixIn(hash, [term.items.length, 0], salts.tuple),
      )
    case 'list':
      return hashList(term.items, hash)
  }
}

const hashOfNothing = 3_468_870_702

/** Its elements, then the empty list that every list ends with. */
function hashList(items: readonly Term[], hash: number): number {
  const sum = items.reduce((before, item) => hashTerm(item, before), hash)
  return sum === 0 ? hashOfNothing : mixIn(sum, [2, 0], salts.emptyList)
}

function hashInteger(value: bigint, hash: number): number {
  const isSmall = value >= -(2n ** 27n) && value < 2n ** 27n
  if (!isSmall) {
    const size = value < 0n ? -value : value
    const words = [Number(size & 0xffffffffn), Number(size >> 32n)] as const
    return mixIn(hash, words, value < 0n ? salts.negative : salts.positive)
  }
  const number = Number(value)
  const sum = number < 0 ? mixIn(hash, [-number, 0], golden) : hash
  return mixIn(sum, [number, 0], golden)
}

function hashFloat(value: number, hash: number): number {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value === 0 ? 0 : value)
  return mixIn(hash, [bytes.readUInt32BE(0), bytes.readUInt32BE(4)], salts.float)
}

/** The hash of its characters by which Erlang finds an atom. All of ours are plain ASCII. */
function hashAtom(characters: Buffer): number {
  let hash = 0
  for (const character of characters) {
    hash = (hash << 4) + character
    const high = hash & 0xf0000000
    if (high !== 0) hash ^= (high >>> 24) ^ high
  }
  return hash >>> 0
}

function mixIn(hash: number, [first, second]: readonly [number, number], salt: number): number {
  return mix((salt + first) | 0, (salt + second) | 0, hash | 0)[2] >>> 0
}

/** Bob Jenkins' hash of 1996 over bytes, twelve at a time. */
function hashBytes(bytes: Buffer, initial: number): number {
  if (bytes.length === 0) return initial
  let state: Words = [golden | 0, golden | 0, initial | 0]
  let at = 0
  for (; bytes.length - at >= 12; at += 12) {
    const [a, b, c] = state
    state = mix(
      (a + bytes.readInt32LE(at)) | 0,
      (b + bytes.readInt32LE(at + 4)) | 0,
      (c + bytes.readInt32LE(at + 8)) | 0,
    )
  }
  // The length stands in the lowest byte of the third word, so what is left of it moves up by one.
  const rest = Buffer.alloc(12)
  rest.set(bytes.subarray(at, at + 8), 0)
  rest.set(bytes.subarray(at + 8), 9)
  const [a, b, c] = state
  const last = (c + bytes.length + rest.readInt32LE(8)) | 0
  return mix((a + rest.readInt32LE(0)) | 0, (b + rest.readInt32LE(4)) | 0, last)[2] >>> 0
}

type Words = readonly [number, number, number]

/** Each row: how far the third word is moved before it is taken from the first two, in turn. */
const rounds = [
  [13, 8, 13],
  [12, 16, 5],
  [3, 10, 15],
] as const

function mix(first: number, second: number, third: number): Words {
  let [a, b, c] = [first, second, third]
  for (const [right, left, rightAgain] of rounds) {
    a = (a - b - c) ^ (c >>> right)
    b = (b - c - a) ^ (a << left)
    c = (c - a - b) ^ (b >>> rightAgain)
  }
  return [a, b, c]
}
