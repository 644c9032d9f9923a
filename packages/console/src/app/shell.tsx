import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { Activity, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { ApiProblem } from '../api/api-problem.ts'
import { followLists } from '../api/follow-lists.ts'
import { queries } from '../api/queries.ts'
import { KeyCap } from '../parts/key-cap.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { pageTitleId } from '../parts/page.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { HelpSheet } from './help-sheet.tsx'
import { JumpBox } from './jump-box.tsx'
import { LoginPage } from './login-page.tsx'
import { PlaceList } from './place-list.tsx'
import { ThemeChoice } from './theme-choice.tsx'
import { useArrival } from './use-arrival.ts'
import { useJumpKey } from './use-jump-key.ts'
import { useSession } from './use-session.ts'
import { WhoAmI } from './who-am-i.tsx'
import { Wordmark } from './wordmark.tsx'

const DemoBar = lazy(async () => ({ default: (await import('../demo/demo-bar.tsx')).DemoBar }))

/**
 * What is around every page. Whoever is not logged in sees the way in, at the same address; whose session has ended
 * finds what they were writing when they are back.
 */
export function Shell(): ReactNode {
  const { data: session, error, refetch } = useQuery(queries.session())
  if (session === null) return <LoginPage />
  if (session)
    return (
      <>
        {session.hasEnded && <LoginPage hasEnded />}
        <Activity mode={session.hasEnded ? 'hidden' : 'visible'}>
          <LoggedIn key={`${session.name} ${session.role}`} />
        </Activity>
      </>
    )
  if (!error) return <Arriving />
  return (
    <main className="mx-auto max-w-prose p-8">
      <h1 className="mb-3 text-lg font-semibold">Warren</h1>
      <ProblemNotice error={error} onRetry={() => void refetch()} />
    </main>
  )
}

/** For the time that a slow server takes to say who the reader is. */
function Arriving(): ReactNode {
  return (
    <main className="grid h-full place-items-center">
      <div role="status" className="appears-late flex flex-col items-center gap-3 text-quiet">
        <Wordmark />
        Asking the server who you are…
      </div>
    </main>
  )
}

function LoggedIn(): ReactNode {
  const { features } = useSession()
  const page = useRef<HTMLElement>(null)
  useArrival(page)
  const [isJumping, setIsJumping] = useState(false)
  const [isHelpOpen, setIsHelpOpen] = useState(false)
  useEffect(() => {
    const stop = new AbortController()
    void followLists(stop.signal)
    return () => stop.abort()
  }, [])
  useKeys({ '?': () => setIsHelpOpen(true) })
  useJumpKey(() => setIsJumping(true))
  return (
    <div className="grid h-full print:block print:h-auto grid-cols-1 grid-rows-[auto_minmax(0,1fr)] md:grid-cols-[13.5rem_minmax(0,1fr)] md:grid-rows-1">
      <a
        href="#page"
        className="absolute -top-20 left-2 z-10 rounded-md bg-action px-3 py-2 text-on-action focus:top-2"
      >
        Skip to the page
      </a>
      <div className="flex flex-col gap-2 print:hidden border-b border-line bg-panel p-3 md:gap-5 md:border-r md:border-b-0 md:py-5">
        <div className="flex items-center justify-between px-1 md:px-2">
          <Wordmark />
          <JumpButton onClick={() => setIsJumping(true)} />
        </div>
        <nav aria-label="Pages">
          <PlaceList />
        </nav>
        <div className="mt-auto hidden flex-col gap-3 md:flex">
          <button
            type="button"
            onClick={() => setIsHelpOpen(true)}
            className="flex items-center justify-between rounded-md px-2.5 py-1 text-quiet hover:text-ink"
          >
            Keys <KeyCap>?</KeyCap>
          </button>
          <ThemeChoice />
        </div>
        <div className="hidden border-t border-line px-2 pt-3 md:block">
          <WhoAmI />
        </div>
      </div>
      <main
        ref={page}
        id="page"
        aria-labelledby={pageTitleId}
        tabIndex={-1}
        className="min-w-0 overflow-y-auto outline-none! print:overflow-visible"
      >
        {features.includes('demo') && (
          <Suspense>
            <DemoBar />
          </Suspense>
        )}
        <ConnectionNotice />
        <Outlet />
        <footer className="flex flex-col gap-3 border-t border-line p-4 md:hidden print:hidden">
          <ThemeChoice />
          <WhoAmI />
        </footer>
      </main>
      <JumpBox isOpen={isJumping} onClose={() => setIsJumping(false)} />
      <HelpSheet isOpen={isHelpOpen} onClose={() => setIsHelpOpen(false)} />
    </div>
  )
}

function JumpButton({ onClick }: { readonly onClick: () => void }): ReactNode {
  return (
    <button type="button" onClick={onClick} title="Jump (⌘K or Ctrl K)">
      <span className="sr-only">Jump to a queue or a page</span> <KeyCap>⌘K</KeyCap>
    </button>
  )
}

/** Says when what is shown may be old. It goes by itself. */
function ConnectionNotice(): ReactNode {
  const { data: connection } = useQuery(queries.connection())
  const { data: broker, error } = useQuery({ ...queries.broker(), enabled: connection === 'live' })
  if (connection === 'lost')
    return (
      <div className="p-3 pb-0">
        <Notice tone="warn">
          The server does not answer. What you see may be old; it is asked again every two seconds.
        </Notice>
      </div>
    )
  // Its own HTTP API goes with it, and the server cannot say how it is.
  if ((broker && !broker.isConnected) || (error instanceof ApiProblem && error.status >= 500))
    return (
      <div className="p-3 pb-0">
        <Notice tone="warn">
          The server has lost RabbitMQ and connects again. Until then nothing can be looked at or moved.
        </Notice>
      </div>
    )
  if (broker && broker.alarms.length > 0)
    return (
      <div className="p-3 pb-0">
        <Notice tone="bad">
          RabbitMQ has an alarm (
          {broker.alarms.map(({ node, resource }) => `${resource} on ${node}`).join(', ')}) and takes no
          messages until it is over.
        </Notice>
      </div>
    )
  return null
}
