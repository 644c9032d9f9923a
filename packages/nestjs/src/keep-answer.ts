import {
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common'
import { type Observable, tap } from 'rxjs'
import { warrenContextType } from './message-body.ts'

/** By the message, of which every delivery has one of its own. */
const answers = new WeakMap<object, unknown>()
const kept = new WeakSet<object>()

/** Nearest to the method, it sees what the method returned before other interceptors map it to something else. */
const keeper: NestInterceptor = {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType<string>() !== warrenContextType) return next.handle()
    const message = context.getArgByIndex<object>(0)
    answers.delete(message)
    return next.handle().pipe(tap((answer) => answers.set(message, answer)))
  },
}

/** Keeps what the method returns for its messages, once however often it is wrapped. */
export function keepAnswer(method: object): void {
  if (kept.has(method)) return
  kept.add(method)
  UseInterceptors(keeper)({}, '', { value: method })
}

/** What the method returned for the message, if it ran to its end; nothing the next time. */
export function takeAnswer(message: object): unknown {
  const answer = answers.get(message)
  answers.delete(message)
  return answer
}
