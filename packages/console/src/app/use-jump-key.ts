import { useEffect, useEffectEvent } from 'react'

/** ⌘K, or Ctrl K: also while somebody is writing. */
export function useJumpKey(jump: () => void): void {
  const onJump = useEffectEvent(jump)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      onJump()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}
