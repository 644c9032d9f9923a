import { useEffect, useRef } from 'react'

export type KeyActions = Readonly<Record<string, () => void>>

/** Lets keys do something while the reader is not writing, and no dialog is open. */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return
      const action = latest.current[event.key]
      if (!action) return
      event.preventDefault()
      action()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}

function isTaken(target: EventTarget | null): boolean {
  const isWriting = target instanceof Element && target.closest('input, textarea, select, [contenteditable]')
  return Boolean(isWriting) || document.querySelector('dialog[open]') !== null
}
