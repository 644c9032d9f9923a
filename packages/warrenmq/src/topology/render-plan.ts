import { formatCounted } from '../message/format-counted.ts'
import type { Arguments } from './declaration.ts'
import { showSetting } from './effective-value.ts'
import { canonicalText } from './is-same-value.ts'
import type { DisruptiveStep, ImpossibleStep, Leftover, Plan, SafeStep } from './plan-topology.ts'
import type { WayOut } from './ways-out.ts'

type Thing = 'queue' | 'exchange'

/**
 * A plan as text for people: what would be done, what is not touched, and what cannot be done.
 * @example
 * ```ts
 * console.log(renderPlan(plan))
 * ```
 */
export function renderPlan(plan: Plan): string {
  const sections = [
    section(
      'Safe',
      plan.safe.map((step) => [renderSafe(step)]),
    ),
    section(
      'Disruptive (apply asks first)',
      plan.disruptive.map((step) => [renderDisruptive(step)]),
    ),
    section('Impossible in place', plan.impossible.map(renderImpossible)),
    section(
      'Left over (kept: they run empty by themselves)',
      plan.leftovers.map((leftover) => [renderLeftover(leftover)]),
    ),
    section(
      'Bindings made by others on these queues (left alone)',
      plan.unmanaged.map((binding) => [`? binding ${renderBinding(binding)}`]),
    ),
    section(
      'Policies that override arguments',
      plan.policyConflicts.map(({ queue, policies, key, wanted, effective, consequence }) => [
        `? queue ${queue}: ${key} is ${showSetting(`x-${key}`, effective)} by policy ${policies.join(', ') || 'of the broker'}, the topology says ${showSetting(`x-${key}`, wanted)}: ${consequence}`,
      ]),
    ),
  ]
  return [
    headline(plan),
    ...sections.flatMap((lines) => (lines.length === 0 ? [] : ['', ...lines])),
    '',
  ].join('\n')
}

function headline({ isEmpty, safe, disruptive, impossible }: Plan): string {
  if (isEmpty) return 'Nothing to do: the broker matches the topology.'
  const counts = `${safe.length} safe, ${disruptive.length} disruptive, ${impossible.length} impossible in place`
  return `${counts}.`
}

function section(title: string, entries: readonly (readonly string[])[]): readonly string[] {
  return entries.length === 0 ? [] : [title, ...entries.flat().map((line) => `  ${line}`)]
}

function renderSafe(step: SafeStep): string {
  switch (step.kind) {
    case 'create-exchange':
      return `+ exchange ${step.exchange.name} (${step.exchange.type})${renderArguments(step.exchange.arguments)}`
    case 'create-queue':
      return `+ queue ${step.queue.name} (${step.queue.type})${renderArguments(step.queue.arguments)}`
    case 'add-binding':
      return `+ binding ${renderBinding(step.binding)}`
  }
}

function renderDisruptive({ binding }: DisruptiveStep): string {
  return `- binding ${renderBinding(binding)}`
}

function renderLeftover({ queue, of, messages }: Leftover): string {
  // The statistics are seconds old, and a release that is just replaced may have put something there since.
  return `? queue ${queue}, whose messages return to ${of}; ${countMessages(messages)} at the last count`
}

/** `1 message`, `an unknown number of messages`. */
export function countMessages(messages: number | undefined): string {
  if (messages === undefined) return 'an unknown number of messages'
  return formatCounted(messages, 'message')
}

function renderImpossible(step: ImpossibleStep): readonly string[] {
  const thing = thingOf(step)
  return [
    ...step.changes.map(
      ({ setting, wanted, live }) =>
        `! ${thing} ${step.name}: ${setting} is ${showSetting(setting, live)}, the topology says ${showSetting(setting, wanted)}`,
    ),
    ...renderWaysOut(step).map(({ text }) => `    or ${text}`),
  ]
}

/**
 * What can be done about a change that is impossible in place, each in words.
 * @example
 * ```ts
 * for (const { text } of plan.impossible.flatMap(renderWaysOut)) console.log(text)
 * ```
 */
export function renderWaysOut(
  step: ImpossibleStep,
): readonly { readonly kind: WayOut['kind']; readonly text: string }[] {
  return step.waysOut.map((way) => ({ kind: way.kind, text: renderWayOut(way, thingOf(step)) }))
}

function thingOf({ kind }: ImpossibleStep): Thing {
  return kind === 'change-queue' ? 'queue' : 'exchange'
}

function renderWayOut(way: WayOut, thing: Thing): string {
  switch (way.kind) {
    case 'exact':
      return "leave it: it follows the layout's original design; declare it with `exact: true`"
    case 'policy': {
      const displaced =
        way.displaces === undefined ? '' : `; it would replace policy ${way.displaces}, so merge the two`
      return `set it by a policy, without touching the queue: ${canonicalText(way.definition)}${displaced}`
    }
    case 'recreate':
      return recreateText(thing, way.messages)
    case 'declare-as-is':
      return 'change the topology to what the broker has'
    case 'rename':
      return `give the ${thing} a new name, and let the old one run empty`
  }
}

function recreateText(thing: Thing, messages: number | undefined): string {
  if (thing === 'exchange') return 'delete it and apply again; its bindings are deleted with it'
  if (messages === 0) return 'delete it and apply again: it is empty now'
  const held = messages === undefined ? 'messages' : countMessages(messages)
  const them = messages === 1 ? 'it' : 'them'
  return `move its ${held} elsewhere, delete the queue, apply again, and move ${them} back`
}

function renderBinding(binding: {
  source: string
  destination: string
  destinationType: 'queue' | 'exchange'
  key: string
  arguments: Arguments
}): string {
  const { source, destination, destinationType, key, arguments: args } = binding
  const target = destinationType === 'exchange' ? `exchange ${destination}` : destination
  return `${source} -> ${target}${key === '' ? '' : `, key ${key}`}${renderArguments(args)}`
}

function renderArguments(args: Arguments): string {
  const entries = Object.entries(args).map(([name, value]) => `${name}=${canonicalText(value)}`)
  return entries.length === 0 ? '' : ` ${entries.join(' ')}`
}
