import { useRouter } from '@tanstack/react-router'
import { type RefObject, useEffect } from 'react'

/** Whoever goes to another page is at its top, and on it: Tab leads on from there, and a screen reader reads it. */
export function useArrival(page: RefObject<HTMLElement | null>): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, toLocation, pathChanged }) => {
        const place = page.current
        if (!place || !fromLocation || !pathChanged) return
        const isForward = toLocation.state.__TSR_index > fromLocation.state.__TSR_index
        if (isForward) place.scrollTo(0, 0)
        if (!place.contains(document.activeElement)) place.focus({ preventScroll: true })
      }),
    [router, page],
  )
}
