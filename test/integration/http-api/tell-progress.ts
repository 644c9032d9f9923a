/**
 * Tells in a long attack how far it is, ten times in all, so that nobody takes it for one that hangs. Silent in tests,
 * unless WARREN_TELL_PROGRESS asks for it.
 */
export function tellProgress(what: string, of: number): (done: number) => void {
  const step = Math.ceil(of / 10)
  if (!process.env.WARREN_TELL_PROGRESS) return () => {}
  return (done) => {
    if (done % step === 0 || done === of) process.stderr.write(`${done} of ${of} ${what}\n`)
  }
}
