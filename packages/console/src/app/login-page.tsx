import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { queries } from '../api/queries.ts'
import { serverAddress } from '../api/server-address.ts'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { AccountLogin } from './account-login.tsx'
import { TokenLogin } from './token-login.tsx'
import { Wordmark } from './wordmark.tsx'

/** Stands in place of any page while nobody is logged in, so that its address leads there afterwards. */
export function LoginPage({
  hasEnded = false,
}: {
  /** Somebody was logged in a moment ago. */
  readonly hasEnded?: boolean
}): ReactNode {
  const { data: ways, error, refetch } = useQuery(queries.loginWays())
  const [wantsToken, setWantsToken] = useState(false)
  const usesToken = wantsToken || ways?.hasAccounts === false
  useEffect(() => {
    document.title = 'Log in · Warren'
  }, [])
  return (
    <main className="grid min-h-full place-items-center px-4 py-10">
      <div className="w-full max-w-80">
        <div className="mb-8 flex justify-center">
          <Wordmark />
        </div>
        {hasEnded && (
          <div className="mb-5">
            <Notice tone="warn">Your session has ended. Log in, and you continue where you were.</Notice>
          </div>
        )}
        <h1 className="mb-1 text-lg font-semibold">Log in</h1>
        <p className="mb-5 text-quiet">
          {usesToken ? 'With an API token of this server.' : 'With your RabbitMQ account.'}
        </p>
        {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
        {ways && (usesToken ? <TokenLogin /> : <AccountLogin />)}
        <div className="mt-5 flex flex-col gap-2 text-center">
          {ways?.oidcLogin && (
            <a className="text-accent hover:underline" href={oidcAddress(ways.oidcLogin)}>
              Log in with single sign-on
            </a>
          )}
          {ways?.hasAccounts && (
            <button
              type="button"
              className="text-quiet hover:underline"
              onClick={() => setWantsToken(!wantsToken)}
            >
              {usesToken ? 'Use a RabbitMQ account instead' : 'Use an API token instead'}
            </button>
          )}
        </div>
      </div>
    </main>
  )
}

function oidcAddress(path: string): string {
  const { pathname, search } = window.location
  return `${serverAddress}${path}?returnTo=${encodeURIComponent(`${pathname}${search}`)}`
}
