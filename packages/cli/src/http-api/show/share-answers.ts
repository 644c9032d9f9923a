import { type Clock, realClock } from 'warrenmq/operations'

/**
 * Asks once for all who want to know the same at the same time, and gives the answer on for a moment: two hundred
 * consoles that poll must not become two hundred questions to the broker.
 */
export function shareAnswers<Answer>(
  lifetimeMs: number,
  ask: (about: string) => Promise<Answer>,
  clock: Clock = realClock,
): (about: string) => Promise<Answer> {
  const answers = new Map<string, Promise<Answer>>()
  return (about) => {
    const known = answers.get(about)
    if (known) return known
    const asked = ask(about)
    answers.set(about, asked)
    const forget = (): void => void answers.delete(about)
    // A failure is nobody's answer but theirs who waited for it.
    asked.then(() => clock.schedule(lifetimeMs, forget), forget)
    return asked
  }
}
