/**
 * The text of an error with everything taken out that differs from one message to the next, so that errors of
 * one cause read the same: `Order 42 not found on db-1.internal:5432` gives `Order <n> not found on <host>`.
 */
export function normaliseMessage(message: string): string {
  // A bound on the input bounds the time, whatever a header holds.
  let text = firstLine(message.slice(0, longestInput))
  for (const [pattern, replacement] of replacements) text = text.replace(pattern, replacement as string)
  return text.replace(/\s+/g, ' ').trim().slice(0, longestOutput)
}

const longestInput = 2_000
const longestOutput = 240

function firstLine(text: string): string {
  return text.split(/[\r\n]+/).find((line) => line.trim() !== '') ?? ''
}

type Replacement = readonly [
  pattern: RegExp,
  replacement: string | ((match: string, ...groups: string[]) => string),
]

const sourceFile = /\.(?:[cm]?[jt]sx?|java|kt|scala|cs|fs|py|go|rb|php|rs|ex|erl|cpp|c|h)$/i
const hostEndings = 'com|net|org|io|dev|cloud|app|internal|local|localdomain|lan|corp|svc|test|example'

// In this order: what holds other things (a URL holds a host, a host holds numbers) goes first.
const replacements: readonly Replacement[] = [
  // These ten characters of the private area carry digits further down.
  [/[\uE000-\uE009]/g, ' '],
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>()]+/gi, '<url>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g, '<time>'],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?\b/g, '<time>'],
  [/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g, '<email>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, '<host>'],
  [/\[?\b(?:[0-9a-f]{1,4}:){3,7}(?::?[0-9a-f]{1,4})\b\]?(?::\d{1,5})?/gi, '<host>'],
  [/(?<![\w.])::(?:ffff:)?(?:\d{1,3}(?:\.\d{1,3}){3}|1)\b(?::\d{1,5})?/gi, '<host>'],
  [/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT)\s+[\w.-]{1,253}(?::\d{1,5})?/g, '$1 <host>'],
  [/\b[a-z][\w-]{0,62}(?:\.[\w-]{1,63}){0,8}:\d{1,5}\b/gi, hostOrLine],
  [
    new RegExp(`\\b[a-z0-9][\\w-]{0,62}(?:\\.[\\w-]{1,63}){0,8}\\.(?:${hostEndings})\\b(?![.\\w])`, 'gi'),
    '<host>',
  ],
  [/\b0x[0-9a-f]+\b/gi, '<hex>'],
  // Both a digit and a letter: a word such as 'defaced' stays, a plain number is a number.
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b/gi, '<hex>'],
  // A status is a cause, not an id, and must not merge 404 with 503.
  [/\b(status(?:\s+code)?|http(?:\/\d(?:\.\d)?)?)(\s*[:=]?\s*)([1-5]\d\d)\b/gi, keepStatus],
  [/\d+(?:[.,]\d+)*/g, '<n>'],
  [/[\uE000-\uE009]/g, (digit) => String(digit.charCodeAt(0) - 0xe000)],
]

// 'orders.ts:120' is a line of a program, 'orders:5432' a host.
function hostOrLine(match: string): string {
  const name = match.slice(0, match.lastIndexOf(':'))
  return sourceFile.test(name) ? `${name}:<n>` : '<host>'
}

// The digits to keep are moved out of reach of the rule for numbers and back again after it.
function keepStatus(_match: string, word: string, between: string, status: string): string {
  const digits = [...status].map((digit) => String.fromCharCode(0xe000 + Number(digit)))
  return `${word.replace(/\/.*$/, '')}${between === '' ? '' : ' '}${digits.join('')}`
}
