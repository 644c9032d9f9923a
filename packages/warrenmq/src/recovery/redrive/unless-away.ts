import type { Session } from '../../broker/amqp/session.ts'
import { clearInterval, setInterval } from '../../world.ts'

/** True once there is a connection; false if there is none and patience has run out, or the session closed. */
export async function whenReachable(session: Session, patience: AbortSignal): Promise<boolean> {
  if (session.connection) return true
  if (patience.aborted) return false
  const over = new AbortController()
  const isConnected = session.whenConnected().then(
    () => true,
    () => false,
  )
  const isOver = new Promise<false>((resolve) => {
    patience.addEventListener('abort', () => resolve(false), { once: true, signal: over.signal })
  })
  try {
    return await Promise.race([isConnected, isOver])
  } finally {
    over.abort()
  }
}

/** What comes of work that needs the broker; `away` once the patience is over and there is no connection. */
export async function unlessAway<Value>(
  work: Promise<Value>,
  { session, patience }: { session: Session; patience: AbortSignal },
): Promise<Value | 'away'> {
  let timer: NodeJS.Timeout | undefined
  const away = new Promise<'away'>((resolve) => {
    timer = setInterval(() => {
      if (patience.aborted && !session.connection) resolve('away')
    }, lookEveryMs)
  })
  try {
    return await Promise.race([work, away])
  } finally {
    clearInterval(timer)
    work.catch(() => {}) // nobody waits for it any longer
  }
}

const lookEveryMs = 50
