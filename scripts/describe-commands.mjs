// Fills the page of the command line with what is a fact: of every command its example, its usage, and its options with
// their defaults. What a person wrote around them stays.
import { Command } from 'commander'
import { commands } from '../packages/cli/dist/commands.js'

const parsers = new Map(
  commands.map((command) => {
    const parser = new Command(command.name).option('--json', 'print exactly one JSON document on stdout')
    command.configure?.(parser)
    return [command.name, parser]
  }),
)

/** Under the heading of a command, from the example to the options. */
const facts = /```sh\nwarren .*\n```\n\n```text\nwarren .*\n```\n(?:\n(?:\|.*\n)+)?(?:\nAlso .*\n)?/

/** The page, with the facts of every command as they are now. */
export function withCommands(page) {
  const [introduction, ...sections] = page.split(/^(?=### warren )/m)
  const described = sections.map((section) => section.slice('### warren '.length, section.indexOf('\n')))
  const missing = commands.map(({ name }) => name).filter((name) => !described.includes(name))
  if (missing.length > 0) throw new Error(`The page of the command line lacks ${missing.join(', ')}.`)
  const shared = sharedOptions(page)
  return [introduction, ...sections.map((section, at) => withFacts(section, described[at], shared))].join('')
}

/** Options that the page explains once: those in a table that is not of a single command. */
function sharedOptions(page) {
  const general = page.split(/^(?=##+ )/m).filter((section) => !section.startsWith('### warren '))
  return new Set(
    general.flatMap((section) => [...section.matchAll(/^\| `(--[a-z-]+)/gm)].map(([, flag]) => flag)),
  )
}

function withFacts(section, name, shared) {
  const command = commands.find((each) => each.name === name)
  if (!command) throw new Error(`The page of the command line describes "${name}", which is no command.`)
  if (!facts.test(section)) throw new Error(`The page has no place for the options of "${name}".`)
  return section.replace(facts, () => describeCommand(command, shared))
}

function describeCommand({ name, example }, shared) {
  const parser = parsers.get(name)
  const isShared = (option) => shared.has(option.long) && option.description === usualDescription(option.long)
  const own = parser.options.filter((option) => !isShared(option))
  const others = parser.options.filter(isShared)
  const blocks = [
    `\`\`\`sh\n${example}\n\`\`\`\n`,
    `\`\`\`text\nwarren ${name} ${parser.usage()}\n\`\`\`\n`,
    ...(own.length > 0 ? [table([['option', 'meaning', 'default'], ...own.map(rowOf)])] : []),
    ...(others.length > 0 ? [`Also ${others.map(({ long }) => `\`${long}\``).join(', ')}.\n`] : []),
  ]
  return blocks.join('\n')
}

/** What most commands say of an option; one that says something else of it has a row of its own. */
function usualDescription(long) {
  const counts = new Map()
  for (const { options } of parsers.values())
    for (const { description } of options.filter((option) => option.long === long))
      counts.set(description, (counts.get(description) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
}

function rowOf({ flags, description, defaultValue, defaultValueDescription, argChoices, mandatory }) {
  const choices = argChoices ? `: ${argChoices.join(', ')}` : ''
  // Some say it themselves, because what was not said must not be in their request.
  const [, meaning, said] = /^(.*?)(?: \(default: (.*)\))?$/.exec(description)
  const isSwitch = defaultValue === undefined || typeof defaultValue === 'boolean'
  const preset = String(said ?? (isSwitch ? '' : (defaultValueDescription ?? defaultValue)))
  const isDemanded = mandatory && defaultValue === undefined
  return [
    code(flags),
    cell(`${meaning}${choices}${isDemanded ? '; required' : ''}`),
    /^\S+$/.test(preset) ? code(preset) : cell(preset),
  ]
}

function code(text) {
  return `\`${text.replaceAll('|', '\\|')}\``
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

/** As the formatter of this repository aligns it. */
function table(rows) {
  const widths = rows[0].map((_, at) => Math.max(3, ...rows.map((row) => row[at].length)))
  const line = (cells) => `| ${cells.map((text, at) => text.padEnd(widths[at])).join(' | ')} |\n`
  const [head, ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('')
}
